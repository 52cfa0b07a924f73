import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { startProgram } from './helpers/cli-process.ts'
import { testFolder } from './helpers/folder.ts'
import { type Fields, unknownFields } from './helpers/kubernetes.ts'

const FLEET = join(import.meta.dirname, '../deploy/fleet')
/** A place with all that JSON and shells read as something else. */
const HOSTILE = `s3://data/it's "all" $HOME $(id) \`id\` #1: & 100%\\ ü`

/** Runs a script with programs that write down how they were called. */
async function ran(script: string, programs: Readonly<Record<string, string>>, env: Record<string, string>) {
  const folder = testFolder()
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/usr/bin/env bash\n${text}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const PATH = `${bin}:${process.env.PATH}`
  const ended = await startProgram('bash', [join(FLEET, script)], { cwd: folder, env: { PATH, ...env } })
    .ended
  const calls = () =>
    readFileSync(join(folder, 'calls'), 'utf8')
      .split('\0\n')
      .filter((call) => call !== '')
      .map((call) => call.split('\0'))
  return { ended, calls }
}

/** Writes a call down, and answers with its number. */
const CALL = `n=$(($(cat count 2> /dev/null || echo 0) + 1)); echo $n > count
printf '%s\\0' "\${FLEET_STAGE-}" "\${FLEET_OFFSET-}" "$@" >> calls; echo >> calls; echo "id-$n"`

describe('deploy/fleet/slurm.sh', () => {
  const programs = {
    scontrol: `[ "$*" = 'show config' ] && echo 'MaxArraySize            = 6'`,
    sbatch: `cat > task; ${CALL}`,
  }

  test('submits each stage after the one before, in arrays that the cluster allows', async () => {
    const { ended, calls } = await ran('slurm.sh', programs, { OUT: HOSTILE, TASKS: '8', AT_ONCE: '4' })
    expect(ended.code, ended.stderr).toBe(0)
    expect(ended.stdout).toBe('submitted: map id-1:id-2, generate id-3:id-4, seal id-5:id-6, finish id-7\n')
    const told = calls().map(([stage, offset, ...options]) => {
      const value = (flag: string) => options.find((one) => one.startsWith(flag))?.slice(flag.length)
      return [stage, offset, value('--array='), value('--dependency='), value('--mem=')]
    })
    expect(told).toEqual([
      ['map', '0', '0-4%2', undefined, '768M'],
      ['map', '5', '0-2%2', undefined, '768M'],
      ['generate', '0', '0-4%2', 'afterok:id-1:id-2', '1024M'],
      ['generate', '5', '0-2%2', 'afterok:id-1:id-2', '1024M'],
      ['seal', '0', '0-4%2', 'afterok:id-3:id-4', '1024M'],
      ['seal', '5', '0-2%2', 'afterok:id-3:id-4', '1024M'],
      ['finish', '', undefined, 'afterok:id-5:id-6', '768M'],
    ])
  })

  test('submits the stages that a plan has before map, with memory of their own', async () => {
    const stages = { STAGES: 'links people map generate seal', PEOPLE_MIB: '4096' }
    const { ended, calls } = await ran('slurm.sh', programs, { OUT: HOSTILE, TASKS: '2', ...stages })
    expect(ended.code, ended.stderr).toBe(0)
    expect(ended.stdout).toBe(
      'submitted: links id-1, people id-2, map id-3, generate id-4, seal id-5, finish id-6\n',
    )
    const told = calls().map(([stage, , ...options]) => [
      stage,
      ...options.filter((one) => /^--(mem|dep)/.test(one)),
    ])
    expect(told.slice(0, 3)).toEqual([
      ['links', '--mem=768M'],
      ['people', '--mem=4096M', '--dependency=afterok:id-1'],
      ['map', '--mem=768M', '--dependency=afterok:id-2'],
    ])
  })

  test('says what it lacks, and submits nothing', async () => {
    const { ended, calls } = await ran('slurm.sh', programs, { OUT: 's3://data/events' })
    expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining('the tasks of the plan')])
    expect(calls).toThrow('ENOENT')
  })
})

describe('deploy/fleet/aws-batch.sh', () => {
  const role = 'arn:aws:iam::123456789012:role'
  const env = {
    TASKS: '8',
    JOB_QUEUE: 'spot & more',
    JOB_ROLE: `${role}/task`,
    EXECUTION_ROLE: `${role}/start`,
  }

  test('registers and submits stage after stage, each after the one before, each value as it is', async () => {
    const given = { ...env, OUT: HOSTILE, IMAGE: HOSTILE }
    const { ended, calls } = await ran('aws-batch.sh', { aws: CALL }, given)
    expect(ended.code, ended.stderr).toBe(0)
    expect(ended.stdout).toBe('submitted: map id-2, generate id-4, seal id-6, finish id-8\n')
    const made = calls().map((call) => call.slice(3))
    const array = ['--array-properties', 'size=8']
    const submit = (stage: string, ...more: string[]) => [
      ...['submit-job', '--job-name', `posthaul-${stage}`, '--job-queue', 'spot & more'],
      ...['--job-definition', `posthaul-${stage}`, ...more, '--query', 'jobId', '--output', 'text'],
    ]
    expect(made.filter(([what]) => what === 'submit-job')).toEqual([
      submit('map', ...array),
      submit('generate', ...array, '--depends-on', 'jobId=id-2'),
      submit('seal', ...array, '--depends-on', 'jobId=id-4'),
      submit('finish', '--depends-on', 'jobId=id-6'),
    ])
    const definitions = made.filter(([what]) => what !== 'submit-job').map((call) => JSON.parse(call[2]!))
    const place = HOSTILE.replace('$(', () => '$$(')
    expect(definitions.map(({ containerProperties }) => containerProperties.command)).toEqual([
      ...['map', 'generate', 'seal'].map((stage) => [
        'fleet',
        'run',
        stage,
        '--out',
        place,
        '--work-dir',
        '/data',
      ]),
      ['fleet', 'finish', '--out', place],
    ])
    expect(definitions[0].containerProperties).toMatchObject({ image: HOSTILE, jobRoleArn: env.JOB_ROLE })
    const codes = definitions.map(({ retryStrategy }) =>
      retryStrategy.evaluateOnExit.map((rule: Fields) => rule.onExitCode),
    )
    // Batch takes no more than five rules.
    expect([codes[0], codes[3]]).toEqual([
      [undefined, '2', '4', '6'],
      [undefined, '2', '3', '4', '6'],
    ])
  })

  test('submits the stages that a plan has before map', async () => {
    const { ended } = await ran(
      'aws-batch.sh',
      { aws: CALL },
      {
        ...env,
        ...{ OUT: 's3://data/events', IMAGE: 'posthaul', STAGES: 'rows tables map generate seal' },
      },
    )
    expect([ended.code, ended.stdout]).toEqual([
      0,
      'submitted: rows id-2, tables id-4, map id-6, generate id-8, seal id-10, finish id-12\n',
    ])
  })
})

describe('deploy/fleet/kubernetes.yaml', () => {
  const text = readFileSync(join(FLEET, 'kubernetes.yaml'), 'utf8')
  // Kubernetes reads YAML 1.1.
  const { items } = parse(text, { version: '1.1' }) as { items: Fields[] }

  test('has four jobs, with kinds and fields of its API alone', () => {
    const names = items.map(({ kind, metadata }) => [kind, (metadata as Fields).name])
    expect(names).toEqual(['map', 'generate', 'seal', 'finish'].map((stage) => ['Job', `posthaul-${stage}`]))
    for (const job of items) expect(unknownFields(job)).toEqual([])
    expect(items.map(({ spec }) => (spec as Fields).suspend)).toEqual([false, true, true, true])
  })

  test('names in its head the jobs and the Secret that it has', () => {
    expect(text).toContain('job/posthaul-map\n')
    expect(text).toContain('job/posthaul-generate ')
    expect(text.match(/posthaul-keys/g)).toHaveLength(2)
  })
})
