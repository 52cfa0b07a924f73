import type { Command } from 'commander'
import { type ExitCode, PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { required } from '../../options/row.ts'
import { ENDPOINT, IN, OUT } from '../../options/rows/dataset-rows.ts'
import { RESTART_FLEET, TASKS } from '../../options/rows/fleet-rows.ts'
import { GROUP_READABLE, JSON_SUMMARY } from '../../options/rows/output-rows.ts'
import { MAP } from '../../options/rows/transform-rows.ts'
import { useReported } from '../reported.ts'
import { PRESET_ROW, RULE_ROWS } from '../run-transform.ts'

const PLAN_ROWS = [
  PRESET_ROW,
  required(IN),
  required(OUT),
  MAP,
  TASKS,
  RESTART_FLEET,
  ...RULE_ROWS,
  GROUP_READABLE,
  JSON_SUMMARY,
  ENDPOINT,
] as const

const HELP = `
The same plan again keeps the one that is there, with what its tasks have done.`

/** `fleet plan`: what the whole will take, and the plan that all tasks go by. */
export function configurePlan(parent: Command, io: Io, exit: (code: ExitCode) => void): void {
  const command = parent.command('plan').description('say what the whole will take, and share it out')
  command.addHelpText('after', HELP)
  useReported(command, PLAN_ROWS, io, exit, async () => {
    throw new PosthaulError('this version makes no plans', { code: 'usage' })
  })
}
