import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JobRequest } from '../../../src/fleet/jobs/job-request.ts'
import { slurmScript } from '../../../src/fleet/jobs/slurm.ts'
import { startProgram } from '../../helpers/cli-process.ts'
import { testFolder } from '../../helpers/folder.ts'
import { HOSTILE, makeRequest } from './requests.ts'

/** A folder with programs of the names, in bash, that stand in for Slurm's and posthaul. */
function withPrograms(programs: Readonly<Record<string, string>>): { folder: string; env: { PATH: string } } {
  const folder = testFolder()
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/usr/bin/env bash\n${text}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  return { folder, env: { PATH: `${bin}:${process.env.PATH}` } }
}

interface Cluster {
  readonly config?: string
  readonly disks?: string
}

/** Runs the script on a cluster that writes down what is submitted. */
async function submitted(
  request: JobRequest,
  { config = 'MaxArraySize            = 1001', disks = '0' }: Cluster,
) {
  const { folder, env } = withPrograms({
    scontrol: `[ "$*" = 'show config' ] && echo '${config}'`,
    sinfo: `printf '%s\\n' ${disks}`,
    sbatch: `n=$(($(cat count 2> /dev/null || echo 0) + 1)); echo $n > count; cat > task-$n
printf '%s\\t' "$FLEET_STAGE" "\${FLEET_OFFSET-}" "$@" >> calls; echo >> calls
echo "$n;cluster"`,
  })
  const { text } = slurmScript(request)
  const script = join(folder, 'job.sh')
  writeFileSync(script, text)
  const ended = await startProgram('bash', [script], { cwd: folder, env }).ended
  expect(ended.code, ended.stderr).toBe(0)
  const lines = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')
  const calls = lines.map((line) => {
    const [stage, offset, ...options] = line.split('\t').filter((word, at) => at < 2 || word !== '')
    const value = (flag: string) =>
      options.find((option) => option.startsWith(`--${flag}=`))?.slice(flag.length + 3)
    return { stage, offset, options, value }
  })
  return { ended, calls, task: readFileSync(join(folder, 'task-1'), 'utf8') }
}

describe('the script for Slurm', () => {
  test('submits each stage after the one before, with what its tasks need', async () => {
    const { ended, calls } = await submitted(makeRequest(), {})
    expect(ended.stdout).toBe('posthaul: submitted: map 1, generate 2, seal 3, finish 4\n')
    expect(calls.map(({ stage, value }) => [stage, value('array'), value('dependency')])).toEqual([
      ['map', '0-7', undefined],
      ['generate', '0-7', 'afterok:1'],
      ['seal', '0-7', 'afterok:2'],
      ['finish', undefined, 'afterok:3'],
    ])
    const common = ['--parsable', '--export=ALL', '--requeue', '--open-mode=append', '--cpus-per-task=1']
    for (const { options } of calls) expect(options).toEqual(expect.arrayContaining(common))
    expect(calls[2]!.value('mem')).toBe('1024M')
    expect(calls[1]!.options).toContain('--kill-on-invalid-dep=yes')
  })

  test('cuts a stage into arrays that the cluster takes, and the next waits for all of them', async () => {
    const { calls } = await submitted(makeRequest({ tasks: 2500, parallelism: 100 }), {})
    expect(
      calls.map(({ stage, offset, value }) => [stage, offset, value('array'), value('dependency')]),
    ).toEqual([
      ['map', '0', '0-999%34', undefined],
      ['map', '1000', '0-999%34', undefined],
      ['map', '2000', '0-499%34', undefined],
      ['generate', '0', '0-999%34', 'afterok:1:2:3'],
      ['generate', '1000', '0-999%34', 'afterok:1:2:3'],
      ['generate', '2000', '0-499%34', 'afterok:1:2:3'],
      ['seal', '0', '0-999%34', 'afterok:4:5:6'],
      ['seal', '1000', '0-999%34', 'afterok:4:5:6'],
      ['seal', '2000', '0-499%34', 'afterok:4:5:6'],
      ['finish', '', undefined, 'afterok:7:8:9'],
    ])
  })

  test('asks the cluster how large an array may be, and for disk only where disks are counted', async () => {
    const { calls } = await submitted(makeRequest(), { config: 'MaxArraySize = 6', disks: '0 2000+' })
    expect(calls.slice(0, 2).map(({ value }) => value('array'))).toEqual(['0-4', '0-2'])
    expect(calls[0]!.value('tmp')).toBe('12G')
    const { calls: without } = await submitted(makeRequest(), {})
    expect(without[0]!.value('tmp')).toBeUndefined()
  })
})

/** Runs a task's script, with a posthaul that ends with `code`. */
async function ranTask(code: number, restarts: number, stage = 'map', out = HOSTILE) {
  const { folder, env } = withPrograms({
    scontrol: 'echo "$*" >> requeued',
    posthaul: `printf '%s\\n' "$@" > words; exit ${code}`,
  })
  const { text } = slurmScript(makeRequest({ out, workDir: `/w ${HOSTILE}` }))
  const script = join(folder, 'task.sh')
  writeFileSync(script, /<<'TASK'\n(.*)\nTASK\n/s.exec(text)![1]!)
  const slurm = { FLEET_STAGE: stage, FLEET_OFFSET: '1000', SLURM_ARRAY_TASK_ID: '7', SLURM_JOB_ID: '31' }
  const ended = await startProgram('bash', [script], {
    cwd: folder,
    env: { ...env, ...slurm, SLURM_RESTART_COUNT: `${restarts}` },
  }).ended
  const read = (name: string) => readFileSync(join(folder, name), 'utf8').trim().split('\n')
  return { code: ended.code, words: read('words'), requeued: () => read('requeued') }
}

describe('the script of a task', () => {
  test('finds its index, and carries every value as it is', async () => {
    const { code, words, requeued } = await ranTask(0, 0)
    expect(code).toBe(0)
    expect(words).toEqual([
      ...['fleet', 'run', 'map', '--index', '1007', '--out', HOSTILE, '--work-dir', `/w ${HOSTILE}`],
    ])
    expect(requeued).toThrow('ENOENT')
  })

  test.each([5, 1, 137])('%i: begins again, under the same id', async (code) => {
    const { requeued } = await ranTask(code, 8)
    expect(requeued()).toEqual(['requeue 31'])
  })

  test.each([2, 4, 6])('%i: does not begin again', async (code) => {
    const ran = await ranTask(code, 0)
    expect(ran.code).toBe(code)
    expect(ran.requeued).toThrow('ENOENT')
  })

  test('gives up after ten tries', async () => {
    const ran = await ranTask(5, 9)
    expect(ran.code).toBe(5)
    expect(ran.requeued).toThrow('ENOENT')
  })

  test('finish with rejects is done', async () => {
    const ran = await ranTask(3, 0, 'finish')
    expect([ran.code, ran.words]).toEqual([0, ['fleet', 'finish', '--out', HOSTILE]])
  })
})
