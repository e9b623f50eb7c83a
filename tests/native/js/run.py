#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the JavaScript cases on a native guest and compares.

run.py --batch DIR/batch [--sandbox] [--node] [--record] [FILE...]

node/*.txt      programs, separated by lines of four dashes; each must print what Node prints. That is
                kept in the .out beside it. --node compares it with the node that is installed, and
                --record writes it from that.
programs/*.txt  cases, see read_cases. With --sandbox the batch is sandbox_batch, which tells less of
                errors and cannot give a denial as an answer: of those cases what it can be asked.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SEPARATOR = '----\n'


def run_batch(batch, cases):
    """Each case is a list of (kind, text); returns what each printed, decoded."""
    with tempfile.NamedTemporaryFile('wb', suffix='.cases') as file:
        for records in cases:
            file.write(b'case %d\n' % len(records))
            for kind, text in records:
                data = text if isinstance(text, bytes) else text.encode('utf-8', 'surrogatepass')
                file.write(b'%s %d\n%s\n' % (kind.encode(), len(data), data))
        file.flush()
        result = subprocess.run([batch, file.name], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    lines = result.stdout.decode('utf-8', 'replace').split('\n')
    found = []
    for line in lines:
        if not line:
            continue
        try:
            found.append(json.loads(line))
        except ValueError:
            found.append('not JSON: ' + line[:300])
    noise = [line for line in result.stderr.decode('utf-8', 'replace').split('\n')
             if line and 'makecontext/swapcontext' not in line]
    if noise:
        print('\n'.join(noise[:60]), file=sys.stderr)
    return found


# ---- programs whose oracle is Node ----

def read_node_file(path):
    with open(path, encoding='utf-8') as file:
        text = file.read()
    parts = re.split(r'(?m)^----\n', text)
    parts[0] = re.sub(r'(?m)\A(#.*\n)+', '', parts[0])
    return parts


def ask_node(program):
    with tempfile.NamedTemporaryFile('w', suffix='.js', encoding='utf-8') as file:
        file.write(program)
        file.flush()
        environment = dict(os.environ, TZ='UTC')
        result = subprocess.run(['node', file.name], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=environment)
    return result.stdout.decode()


def check_node_file(path, options):
    programs = read_node_file(path)
    expected_path = path[:-4] + '.out'
    if options.record:
        with open(expected_path, 'w', encoding='utf-8') as file:
            file.write(SEPARATOR.join(ask_node(program) for program in programs))
    with open(expected_path, encoding='utf-8') as file:
        expected = re.split(r'(?m)^----\n', file.read())
    failures = 0
    results = run_batch(options.batch, [[('js', program)] for program in programs])
    for i, program in enumerate(programs):
        got = results[i] if i < len(results) else 'no result'
        out = got[0]['out'] if isinstance(got, list) else got
        wanted = expected[i] if i < len(expected) else '(none recorded)'
        if options.node and ask_node(program) != wanted:
            print('%s: program %d: the recorded output is not what node prints' % (path, i))
            failures += 1
        if out == wanted:
            continue
        failures += 1
        print('FAILED %s program %d' % (os.path.relpath(path, HERE), i))
        for a, b in zip(wanted.split('\n') + [''] * 99, out.split('\n')):
            if a != b:
                print('  node: %s\n  ours: %s' % (a, b))
                break
        if isinstance(got, list) and got[0]['done'].get('error'):
            print('  ' + json.dumps(got[0]['done']['error'])[:400])
    return len(programs), failures


# ---- cases with their own expectation ----

def read_cases(path):
    """A file of cases:

      == title
      @tools [...]          (any of: tools answers stdin limits interrupt)
      the program
      => {"end": "done", "value": 1}
      out| what is printed

    The expectation is what the result must hold at least; a string that begins with ~ is a pattern to
    be found. After one expectation another program may follow: a second run in the same sandbox.
    """
    cases, case, lines = [], None, []
    with open(path, encoding='utf-8') as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip('\n')
            if line.startswith('== '):
                case = {'title': line[3:], 'line': number, 'records': [], 'expect': []}
                cases.append(case)
                lines = []
            elif case is None:
                continue
            elif line.startswith('@'):
                kind, _, value = line[1:].partition(' ')
                case['records'].append((kind, value))
            elif line.startswith('=> '):
                case['records'].append(('js', '\n'.join(lines)))
                case['expect'].append({'done': json.loads(line[3:]), 'out': [], 'err': []})
                lines = []
            elif re.match(r'(out|err)\|', line) and case['expect'] and not lines:
                case['expect'][-1][line[:3]].append(line[5:])
            elif lines or line:
                lines.append(line)
    return cases


def holds(got, want, where=''):
    """None, or where `got` is not what `want` says."""
    if isinstance(want, str) and want.startswith('~'):
        ok = isinstance(got, str) and re.search(want[1:], got)
        return None if ok else '%s: %r does not match %r' % (where, got, want[1:])
    if isinstance(want, dict) and isinstance(got, dict):
        for key, value in want.items():
            if value == '<absent>':
                if key in got:
                    return '%s.%s: is there: %r' % (where, key, got[key])
                continue
            if key not in got:
                return '%s.%s: is missing in %s' % (where, key, json.dumps(got)[:300])
            bad = holds(got[key], value, '%s.%s' % (where, key))
            if bad:
                return bad
        return None
    if isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        for i, (a, b) in enumerate(zip(got, want)):
            bad = holds(a, b, '%s[%d]' % (where, i))
            if bad:
                return bad
        return None
    same = got == want and isinstance(got, bool) == isinstance(want, bool)
    return None if same else '%s: %s, not %s' % (where, json.dumps(got)[:400], json.dumps(want)[:400])


def in_sandbox(case):
    """The case as sandbox_batch can run it, or None."""
    kinds = [kind for kind, _ in case['records']]
    if any('CapabilityError' in value for kind, value in case['records'] if kind == 'answers') \
            or any('test.deny' in value for _, value in case['records']):
        return None
    if 'hidden' in kinds:  # there a policy hides tools: tests/cli/tools.t
        return None
    if 'tools' in kinds[kinds.index('js'):]:  # a sandbox's tools are what they are
        return None
    interrupted = 'interrupt' in kinds
    for want in case['expect']:
        done = want['done']
        if interrupted and 'interrupted' in done['end']:
            done['end'] = done['end'].replace('interrupted', 'limit.time')
            done.pop('error', None)
        if isinstance(done.get('error'), dict):
            for key in ('tool', 'code', 'rule', 'param', 'path', 'file', 'unhandled'):
                done['error'].pop(key, None)
            if done['error'].get('inner') in ([], '<absent>'):  # which are not told apart
                done['error'].pop('inner')
    return case


def check_runs(case, results):
    if not isinstance(results, list):
        return str(results)
    for i, want in enumerate(case['expect']):
        got = results[i]
        bad = holds(got['done'], want['done'], 'run %d' % (i + 1))
        if bad:
            return bad
        for stream in ('out', 'err'):
            text = '\n'.join(want[stream])
            if want[stream] and got[stream].rstrip('\n') != text:
                return 'run %d: std%s is %r, not %r' % (i + 1, stream, got[stream], text)
    return None


def check_case_file(path, options):
    cases = read_cases(path)
    if options.sandbox:
        cases = [case for case in map(in_sandbox, cases) if case is not None]
    results = run_batch(options.batch, [case['records'] for case in cases])
    failures = 0
    for i, case in enumerate(cases):
        bad = check_runs(case, results[i] if i < len(results) else 'no result')
        if bad:
            failures += 1
            print('FAILED %s:%d %s\n  %s' % (os.path.relpath(path, HERE), case['line'], case['title'], bad))
    return len(cases), failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--batch', required=True)
    parser.add_argument('--node', action='store_true')
    parser.add_argument('--sandbox', action='store_true')
    parser.add_argument('--record', action='store_true')
    parser.add_argument('files', nargs='*')
    options = parser.parse_args()
    files = options.files or sorted(
        os.path.join(HERE, folder, name) for folder in ('node', 'programs')
        for name in os.listdir(os.path.join(HERE, folder)) if name.endswith('.txt'))
    total = failed = 0
    for path in files:
        is_node = os.path.basename(os.path.dirname(os.path.abspath(path))) == 'node'
        count, bad = (check_node_file if is_node else check_case_file)(path, options)
        total += count
        failed += bad
    print('%d programs, %d failed' % (total, failed))
    return 1 if failed or not total else 0


if __name__ == '__main__':
    sys.exit(main())
