import type { CommandModule } from './command.ts'
import { configureFinish } from './fleet/finish.ts'
import { configureJob } from './fleet/job.ts'
import { configurePlan } from './fleet/plan.ts'
import { configureRun } from './fleet/run.ts'
import { configureStatus } from './fleet/status.ts'

const HELP = `
The order:
  plan     look at the input, say what the whole will take, share it out
  job      print a makefile for one big machine; for Slurm, Kubernetes and
           AWS Batch take the files of deploy/fleet/
  run      one task, which the scheduler starts: map, generate, seal; before
           them rows, tables, links, people, where the plan has these
  status   how far it is, at any time
  finish   check all tasks and write the manifest

Example:
  posthaul fleet plan --preset mixpanel --in s3://data/in --out s3://data/events
  posthaul fleet run map --index 0 --out s3://data/events
  posthaul fleet status --out s3://data/events
  posthaul fleet finish --out s3://data/events

The dataset is byte for byte the one that transform would write on one machine.`

/** `fleet`: a transform on many machines. */
export const configure: CommandModule['configure'] = (command, io, exit) => {
  configurePlan(command, io, exit)
  configureJob(command, io, exit)
  configureRun(command, io, exit)
  configureStatus(command, io, exit)
  configureFinish(command, io, exit)
  command.addHelpText('after', HELP)
}
