import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { suffering } from '../faults/kit/plan.ts'
import { startProgram } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { datasetIn, writeHistory } from '../helpers/fleet.ts'
import { makeFolder } from '../helpers/folder.ts'
import { seedOf } from '../helpers/seed.ts'

/* The very makefile that `fleet job` prints, on this machine. Tasks are killed in the middle of a write. */
const TASKS = 4
const KILLED = ['map-2', 'seal-1']
const ROOT = join(import.meta.dirname, '../..')

/** A folder for the path, with a `posthaul` that is killed at a write of the first try of some tasks. */
function binFolder(base: string): string {
  const bin = join(base, 'bin')
  mkdirSync(bin)
  const plan = suffering({ kill: { point: 'write', nth: 3, when: 'before' } })
  const kill = Object.entries(plan).map(([name, value]) => `export ${name}='${value}'`)
  const script = `#!/bin/sh
task="$3-$5"
case $task in ${KILLED.join('|')})
  if mkdir '${base}/killed-'"$task" 2> /dev/null; then
    ${kill.join('\n    ')}
  fi ;;
esac
exec '${process.execPath}' '${ROOT}/bin/posthaul.js' "$@"
`
  writeFileSync(join(bin, 'posthaul'), script)
  chmodSync(join(bin, 'posthaul'), 0o755)
  return bin
}

test('a fleet by make -j2, whose tasks are killed, makes the dataset of one process', async () => {
  const base = makeFolder()
  const [raw, local, out] = [join(base, 'raw'), join(base, 'local'), join(base, "it's $HOME #1/events")]
  writeHistory(raw, seedOf('make'), { files: 12, records: 300 })
  const input = ['--preset', 'mixpanel', '--in', raw, '--max-reject-ratio', '1']
  const alone = await runHosted(['transform', ...input, '--out', local])
  expect(alone.code, alone.stderr).toBe(3)
  const planned = await runHosted(['fleet', 'plan', ...input, '--out', out, '--tasks', `${TASKS}`])
  expect(planned.code, planned.stderr).toBe(0)
  const work = join(base, 'work')
  const printed = await runHosted(['fleet', 'job', '--out', out, '--work-dir', work])
  expect(printed.code, printed.stderr).toBe(0)
  writeFileSync(join(base, 'posthaul.mk'), printed.stdout)

  const PATH = `${binFolder(base)}:${process.env.PATH}`
  const words = ['-f', 'posthaul.mk', '-j2']
  const made = await startProgram('make', words, { cwd: base, env: { PATH } }).ended
  console.log(made.stderr)
  expect(made.code, made.stderr).toBe(0)
  for (const task of KILLED) {
    expect(existsSync(join(base, `killed-${task}`))).toBe(true)
    expect(made.stderr).toContain(`${task} ended with 137: try 1 of 10`)
  }
  expect(datasetIn(out)).toEqual(datasetIn(local))
  // What the killed tries left is gone.
  expect(readdirSync(work)).toEqual([])
})
