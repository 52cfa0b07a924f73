import type { Command } from 'commander'
import { EXIT, type ExitCode } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { LATE } from '../../jobs/late.ts'
import { ENDPOINT, JSON_SUMMARY, OUT, required, useOptions, type Values } from '../../options/index.ts'
import { jsonLine, paintedFor } from '../../text/index.ts'
import { fleetStatusText } from '../text/fleet-status.ts'

const STATUS_ROWS = [
  { ...required(OUT), help: 'the place of the plan: a folder or s3://bucket/prefix' },
  { ...JSON_SUMMARY, help: 'print it as one JSON object' },
  ENDPOINT,
] as const

const HELP = `
A task is lost if its process has said nothing for 3 minutes. Exit code 3: tasks
failed in a way that another try would not mend.

Example:
  posthaul fleet status --out s3://data/events`

/** `fleet status`: how far the tasks are. */
export function configureStatus(parent: Command, io: Io, exit: (code: ExitCode) => void): void {
  const command = parent.command('status').description('how far the tasks are, what failed, what to do next')
  command.addHelpText('after', HELP)
  useOptions(command, STATUS_ROWS, io.env, async ({ values }) => exit(await status(values, io)))
}

async function status({ out, endpoint, json }: Values<typeof STATUS_ROWS>, io: Io): Promise<ExitCode> {
  const { lookAtFleet } = await LATE.fleetLook()
  const { result, words } = await lookAtFleet({ out, endpoint }, Date.now())
  if (json) io.stdout.write(jsonLine(result))
  else io.stdout.write(paintedFor(fleetStatusText(result, words), io.stdout, io.env))
  const stages = Object.values(result.stages)
  return stages.some(({ failed_for_good: failed }) => failed > 0) ? EXIT.rejects : EXIT.done
}
