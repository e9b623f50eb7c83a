# SPDX-License-Identifier: MIT
"""Cloche in agent frameworks, one module each. None is imported before it is asked for."""
