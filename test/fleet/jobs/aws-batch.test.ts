import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RegisterJobDefinitionCommandInput, SubmitJobCommandInput } from '@aws-sdk/client-batch'
import { describe, expect, test } from 'vitest'
import { awsBatchScript, definitionOf, submissionOf } from '../../../src/fleet/jobs/aws-batch.ts'
import { fargateMachine } from '../../../src/fleet/jobs/fargate.ts'
import type { JobRequest } from '../../../src/fleet/jobs/job-request.ts'
import { startProgram } from '../../helpers/cli-process.ts'
import { testFolder } from '../../helpers/folder.ts'
import { HOSTILE, makeRequest } from './requests.ts'

// What the compiler holds against the types of AWS.
definitionOf('map', makeRequest()) satisfies RegisterJobDefinitionCommandInput
submissionOf('seal', 'map', makeRequest()) satisfies SubmitJobCommandInput

const ROLE = 'arn:aws:iam::123456789012:role'
const ENV = { JOB_QUEUE: 'spot & more', JOB_ROLE: `${ROLE}/task`, EXECUTION_ROLE: `${ROLE}/start` }

/** Runs the script with an `aws` that writes down what it is asked, and answers with an id. */
async function submitted(request: JobRequest, env: Readonly<Record<string, string>> = ENV) {
  const folder = testFolder()
  mkdirSync(join(folder, 'bin'))
  const aws = join(folder, 'bin/aws')
  writeFileSync(
    aws,
    `#!/usr/bin/env bash
n=$(($(cat ${folder}/count 2> /dev/null || echo 0) + 1)); echo $n > ${folder}/count
[ "$3" = --cli-input-json ] || exit 9
printf '%s' "$4" > ${folder}/call-$n.json; printf '%s\\n' "$2" >> ${folder}/calls
echo "id-$n"
`,
  )
  chmodSync(aws, 0o755)
  const script = join(folder, 'job.sh')
  writeFileSync(script, awsBatchScript(request).text)
  const PATH = `${join(folder, 'bin')}:${process.env.PATH}`
  const ended = await startProgram('bash', [script], { cwd: folder, env: { PATH, ...env } }).ended
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const calls = () =>
    read('calls')
      .trim()
      .split('\n')
      .map((what, at) => ({ what, asked: JSON.parse(read(`call-${at + 1}.json`)) }))
  return { ended, calls }
}

describe('the script for AWS Batch', () => {
  test('registers and submits stage after stage, each after the one before', async () => {
    const { ended, calls } = await submitted(makeRequest())
    expect(ended.code, ended.stderr).toBe(0)
    expect(ended.stdout).toBe('posthaul: submitted: map id-2, generate id-4, seal id-6, finish id-8\n')
    const made = calls()
    const submissions = made.filter(({ what }) => what === 'submit-job').map(({ asked }) => asked)
    expect(submissions).toEqual([
      {
        jobName: 'history-map',
        jobQueue: ENV.JOB_QUEUE,
        jobDefinition: 'history-map',
        arrayProperties: { size: 8 },
      },
      {
        ...{ jobName: 'history-generate', jobQueue: ENV.JOB_QUEUE, jobDefinition: 'history-generate' },
        ...{ arrayProperties: { size: 8 }, dependsOn: [{ jobId: 'id-2' }] },
      },
      {
        ...{ jobName: 'history-seal', jobQueue: ENV.JOB_QUEUE, jobDefinition: 'history-seal' },
        ...{ arrayProperties: { size: 8 }, dependsOn: [{ jobId: 'id-4' }] },
      },
      {
        ...{ jobName: 'history-finish', jobQueue: ENV.JOB_QUEUE, jobDefinition: 'history-finish' },
        dependsOn: [{ jobId: 'id-6' }],
      },
    ])
    expect(made[0]!.asked.containerProperties).toMatchObject({
      command: ['fleet', 'run', 'map', '--out', 's3://b/events', '--work-dir', '/data'],
      jobRoleArn: ENV.JOB_ROLE,
      executionRoleArn: ENV.EXECUTION_ROLE,
    })
  })

  test('one task is a plain job: an array has two or more', async () => {
    const { calls } = await submitted(makeRequest({ tasks: 1 }))
    const [register, submit] = calls()
    expect(register!.asked.containerProperties.command).toEqual(
      expect.arrayContaining(['run', 'map', '--index', '0']),
    )
    expect(submit!.asked).not.toHaveProperty('arrayProperties')
  })

  test('carries every value as it is', async () => {
    const { ended, calls } = await submitted(makeRequest({ out: `${HOSTILE}"@JOB_ROLE@"`, image: HOSTILE }))
    expect(ended.code, ended.stderr).toBe(0)
    const { command, image } = calls()[0]!.asked.containerProperties
    expect(image).toBe(HOSTILE)
    expect(command[4]).toBe(`${HOSTILE}"@JOB_ROLE@"`.replace('$(', () => '$$('))
  })

  test('says what it lacks, and submits nothing', async () => {
    const { ended, calls } = await submitted(makeRequest(), { JOB_QUEUE: 'spot' })
    expect(ended.code).not.toBe(0)
    expect(ended.stderr).toContain('JOB_ROLE: ARN of a role')
    expect(calls).toThrow('ENOENT')
  })

  test('tries 5 again, and a machine that was taken back; not 2, 4 and 6', () => {
    const actions = (stage: 'map' | 'finish') =>
      definitionOf(stage, makeRequest()).retryStrategy.evaluateOnExit.map((rule) => Object.values(rule))
    expect(actions('map')).toEqual([
      ['Host EC2*', 'RETRY'],
      ['5', 'RETRY'],
      ['2', 'EXIT'],
      ['4', 'EXIT'],
      ['6', 'EXIT'],
    ])
    // Batch takes no more than five.
    expect(actions('finish').map(([what]) => what)).toEqual(['Host EC2*', '3', '2', '4', '6'])
  })

  test('secrets are parameters by name', () => {
    const request = makeRequest({ secrets: [{ name: 'POSTHAUL_HASH_KEY', needed: true }] })
    const name = '/history/POSTHAUL_HASH_KEY'
    expect(definitionOf('map', request).containerProperties.secrets).toEqual([
      { name: 'POSTHAUL_HASH_KEY', valueFrom: name },
    ])
    expect(awsBatchScript(request).next[1]).toBe(
      `aws ssm put-parameter --type SecureString --name ${name} --value "$POSTHAUL_HASH_KEY"`,
    )
  })
})

describe('machines of Fargate', () => {
  test.each([
    [1, 768, 1, 2048, 21],
    [1, 2049, 30, 3072, 30],
    [8, 17_000, 200, 20_480, 200],
  ])('%i CPUs, %i MiB, %i GiB', (cpus, memoryMiB, diskGiB, memory, disk) => {
    expect(fargateMachine({ cpus, memoryMiB, diskGiB })).toEqual({ cpus, memoryMiB: memory, diskGiB: disk })
  })

  test.each([
    [3, 768, 1, '3 CPUs'],
    [1, 9000, 1, '9000 MiB of memory for 1 CPUs'],
    [1, 768, 201, '201 GiB of disk'],
  ])('%i CPUs, %i MiB, %i GiB: there is none', (cpus, memoryMiB, diskGiB, words) => {
    expect(() => fargateMachine({ cpus, memoryMiB, diskGiB })).toThrow(words)
  })
})
