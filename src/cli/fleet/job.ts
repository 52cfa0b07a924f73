import { resolve } from 'node:path'
import type { Command } from 'commander'
import { EXIT, type ExitCode } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { makefileOf } from '../../jobs/index.ts'
import { ENDPOINT, OUT, required, TASK_WORK_DIR, useOptions, type Values } from '../../options/index.ts'
import { isS3, withEndpoint } from '../../store/index.ts'
import { fleetStore, knownPlan, stagesOf } from '../../transform/index.ts'

const JOB_ROWS = [
  { ...required(OUT), help: 'the place of the plan: a folder or s3://bucket/prefix' },
  TASK_WORK_DIR,
  ENDPOINT,
] as const

const HELP = `
Nothing is begun. Example:
  posthaul fleet job --out events/ > posthaul.mk
  make -f posthaul.mk -j16

For Slurm, Kubernetes and AWS Batch take the files of deploy/fleet/, which come
with posthaul.`

/** `fleet job`: a makefile for one big machine, on stdout. */
export function configureJob(parent: Command, io: Io, exit: (code: ExitCode) => void): void {
  const command = parent.command('job').description('print a makefile that runs all tasks on this machine')
  command.addHelpText('after', HELP)
  useOptions(command, JOB_ROWS, io.env, async ({ values }) => exit(await printJob(values, io)))
}

async function printJob(values: Values<typeof JOB_ROWS>, io: Io): Promise<ExitCode> {
  // Absolute: the file may be used in another folder.
  const out = isS3(values.out) ? withEndpoint(values.out, values.endpoint) : resolve(values.out)
  const { id, plan } = await knownPlan(await fleetStore(out), out)
  const { text, next } = makefileOf({
    plan: id,
    stages: stagesOf(plan),
    tasks: plan.tasks,
    out,
    workDir: values.workDir,
  })
  io.stdout.write(text)
  io.stderr.write(`Next:\n${next.map((line) => `  ${line}\n`).join('')}`)
  return EXIT.done
}
