import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makefileOf } from '../../src/jobs/fleet/makefile.ts'
import { startProgram } from '../helpers/cli-process.ts'
import { testFolder } from '../helpers/folder.ts'

/** A place with all that shells and make read as something else. */
const HOSTILE = `s3://data/it's "all" $HOME $(id) \`id\` #1: & 100%\\ ü`

/** Runs make with a posthaul that writes down its words, then ends as `ends` says, a line of bash. `sleep` takes no time. */
async function made(words: readonly string[], ends = 'exit 0', out = 's3://data/events') {
  const folder = testFolder()
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const programs = {
    // One write a call: two programs at once must not write into each other's lines.
    posthaul: `words=$(printf '%s\\t' "$@"); echo "$words" >> calls; ${ends}`,
    sleep: 'echo "sleep $1" >> calls',
  }
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/usr/bin/env bash\n${text}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  writeFileSync(
    join(folder, 'posthaul.mk'),
    makefileOf({
      plan: '6f1e'.repeat(16),
      stages: ['map', 'generate', 'seal'],
      tasks: 3,
      out,
      workDir: undefined,
    }).text,
  )
  const ended = await startProgram('make', ['-f', 'posthaul.mk', ...words], {
    cwd: folder,
    env: { PATH: `${bin}:${process.env.PATH}` },
  }).ended
  const calls = () =>
    readFileSync(join(folder, 'calls'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.trim().split('\t'))
  return { ...ended, calls }
}

describe('the makefile', () => {
  test('runs each task once, stage after stage, and finish last', async () => {
    const { code, stderr, calls } = await made(['-j2'])
    expect(code, stderr).toBe(0)
    const called = calls().map(([, what, stage, , index]) => (what === 'run' ? `${stage} ${index}` : what))
    const indexes = (stage: string) => ['0', '1', '2'].map((index) => `${stage} ${index}`)
    expect(called.slice(0, 3).sort()).toEqual(indexes('map'))
    expect(called.slice(3, 6).sort()).toEqual(indexes('generate'))
    expect(called.slice(6, 9).sort()).toEqual(indexes('seal'))
    expect(called.slice(9)).toEqual(['finish'])
  })

  test('carries every value as it is', async () => {
    const { calls } = await made(['map-2', 'ALONE=1'], 'exit 0', HOSTILE)
    expect(calls()).toEqual([['fleet', 'run', 'map', '--index', '2', '--out', HOSTILE]])
    const { calls: last } = await made(['finish', 'ALONE=1'], 'exit 0', HOSTILE)
    expect(last()).toEqual([['fleet', 'finish', '--out', HOSTILE]])
  })

  test('a task for GNU parallel does not wait for the stage before', async () => {
    const { calls } = await made(['ALONE=1', 'seal-1'])
    expect(calls()).toHaveLength(1)
  })

  test('tries again after 5 and after a kill, later each time', async () => {
    const ends = 'case $(grep -c fleet calls) in 1) exit 5 ;; 2) kill -9 $$ ;; esac'
    const { code, stderr, calls } = await made(['map-0'], ends)
    expect(code).toBe(0)
    expect(calls().map(([word]) => word)).toEqual(['fleet', 'sleep 2', 'fleet', 'sleep 4', 'fleet'])
    expect(stderr).toContain('map-0 ended with 5: try 1 of 10\n')
    expect(stderr).toContain('map-0 ended with 137: try 2 of 10\n')
  })

  test('gives up after ten tries, and runs no later stage', async () => {
    const { code, calls } = await made([], 'exit 5')
    expect(code).toBe(2)
    expect(calls().filter(([word]) => word === 'fleet')).toHaveLength(10)
  })

  test.each([2, 4, 6, 143])('%i: no other try', async (ending) => {
    const { code, calls } = await made(['map-0'], `exit ${ending}`)
    expect([code, calls().length]).toEqual([2, 1])
  })

  test('finish with rejects is done', async () => {
    expect((await made([], '[ "$2" != finish ] || exit 3')).code).toBe(0)
  })

  test('make can say what it would do', async () => {
    const { code, stdout, calls } = await made(['-n'])
    expect(code).toBe(0)
    expect(stdout.match(/fleet run/g)).toHaveLength(9)
    expect(calls).toThrow('ENOENT')
  })
})
