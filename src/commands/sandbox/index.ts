import { row } from '../../options/row.ts'
import { wholeNumber } from '../../options/values.ts'
import { FAULT_HELP } from '../../sandbox/faults/fault.ts'
import { PROJECT_SETTING_HELP } from '../../sandbox/project-setting.ts'
import { type Call, describe } from '../command.ts'

export const OPTIONS = [
  row({
    flag: '--port <n>',
    parse: wholeNumber(0, 65_535),
    default: '8010',
    help: 'port to listen on; 0 takes a free one',
  }),
  row({
    flag: '--data <folder>',
    otherwise: 'a temporary one',
    help: 'folder that keeps events and keys',
  }),
  row({
    flag: '--fault <spec...>',
    otherwise: 'none',
    help: 'misbehave on purpose; see below',
  }),
  row({ flag: '--seed <n>', parse: wholeNumber(0), default: '1', help: 'seed of the faults' }),
  row({
    flag: '--project-setting <spec...>',
    otherwise: "the service's own",
    help: 'set up the project; see below',
  }),
  row({
    flag: '--storage <form>',
    choices: ['json', 'table'],
    default: 'json',
    help: 'store events as PostHog does from 30 November 2026 (json), or as before and on servers that were not changed (table)',
  }),
  row({
    flag: '--project-key <phc_…>',
    otherwise: 'made up',
    help: 'the project key whose events are kept',
  }),
] as const

export type SandboxCall = Call<typeof OPTIONS>

/** `sandbox`: a local stand-in for the service. */
export const command = describe({
  help: `
The keys are made up at the first start and kept in --data; the personal key
can be set with POSTHAUL_SANDBOX_PERSONAL_KEY. Only this machine can reach it.

${FAULT_HELP}

${PROJECT_SETTING_HELP}`,
  options: OPTIONS,
  isDeed: true,
  work: () => import('./run.ts'),
})
