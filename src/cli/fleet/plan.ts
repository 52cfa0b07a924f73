import type { Command } from 'commander'
import { EXIT, type ExitCode } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { PLAN_ROWS, type PlanValues, planFleet } from '../../jobs/index.ts'
import { jsonLine } from '../../text/index.ts'
import { useReported } from '../reported.ts'
import { fleetPlanText } from '../text/fleet-plan.ts'

const HELP = `
The same plan again keeps the one that is there, with what its tasks have done.

Examples:
  posthaul fleet plan --preset mixpanel --in s3://data/in --out s3://data/events
  posthaul fleet plan --map mapping.yaml --in raw/ --out events/ --tasks 500`

/** `fleet plan`: what the whole will take, and the plan that all tasks go by. */
export function configurePlan(parent: Command, io: Io, exit: (code: ExitCode) => void): void {
  const command = parent.command('plan').description('say what the whole will take, and share it out')
  command.addHelpText('after', HELP)
  useReported(command, PLAN_ROWS, { io, exit }, ({ values }) => plan(values, io))
}

async function plan(values: PlanValues, io: Io): Promise<ExitCode> {
  const { result, said } = await planFleet(values, io)
  if (values.json) io.stdout.write(jsonLine(result))
  io.telemetry.summary('fleet plan', { json: result, text: fleetPlanText(result, said) })
  return EXIT.done
}
