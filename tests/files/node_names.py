#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every name that Node's modules have is there, or is listed as left out.

node_names.py CLOCHE           checks, against what is kept of Node 20 in node_names.json
node_names.py CLOCHE --node    compares that with the node that is installed, too
node_names.py --record         writes it from that

The lists of what is left out are tables of docs/files.md and docs/javascript.md whose first line begins
with "| left out" or "| module | left out". A name that is listed and there all the same must throw.
"""
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DOCS = os.path.join(HERE, '..', '..', 'docs')
KEPT = os.path.join(HERE, 'node_names.json')
PROGRAM = os.path.join(HERE, 'node_names.js')
# Node's names that no program asks for: getters and helpers of its own implementation.
OWN_AFFAIRS = re.compile(r'^(_|kMax|processReadResult$|readSyncRecursive$)')
FILE_PARTS = {'fs', 'fs/promises', 'FileHandle', 'Dir', 'Dirent', 'Stats'}


def names_of(command):
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def rows(document, head):
    """The rows of tables that begin so, as lists of cells."""
    inside = False
    with open(os.path.join(DOCS, document), encoding='utf-8') as file:
        for line in file:
            inside = line.startswith(head) or (inside and line.startswith('|'))
            if inside and not line.startswith(head) and not line.startswith('|---'):
                yield [cell.strip() for cell in line.strip().strip('|').split('|')]


def left_out():
    """(part, name) of what the documents list; the parts of `fs` are one."""
    found = set()
    for cells in rows('files.md', '| left out'):
        found |= {('fs', name.split('.')[-1]) for name in re.findall(r'`([\w.]+)`', cells[0])}
    for module, names, _ in rows('javascript.md', '| module | left out'):
        found |= {(module.strip('`'), name) for name in re.findall(r'`(\w+)`', names)}
    return found


def main():
    if '--record' in sys.argv:
        with open(KEPT, 'w', encoding='utf-8') as file:
            json.dump(names_of(['node', PROGRAM]), file, indent=0, sort_keys=True)
            file.write('\n')
        return 0
    with open(KEPT, encoding='utf-8') as file:
        wanted = json.load(file)
    wrong = []
    if '--node' in sys.argv and names_of(['node', PROGRAM]) != wanted:
        wrong.append('node_names.json is not what node says')
    found, out, used = names_of([sys.argv[1], 'run', PROGRAM]), left_out(), set()
    for part, names in wanted.items():
        listed_as = 'fs' if part in FILE_PARTS else part.split('.')[0].split('/')[0]
        for name in names:
            is_there, is_listed = name in found.get(part, ()), (listed_as, name) in out
            if is_listed:
                used.add((listed_as, name))
            if not is_there and not is_listed and not OWN_AFFAIRS.match(name):
                wrong.append(f'{part}: {name} is neither there nor listed as left out')
            if is_there and is_listed and listed_as == part != 'fs':
                wrong.append(f'{part}: {name} is there, and listed as left out')
    wrong += [f'{part}: {name} is listed as left out, and Node has no such name'
              for part, name in sorted(out - used) if not name.startswith('_')]
    print('\n'.join(wrong))
    return 1 if wrong else 0


sys.exit(main())
