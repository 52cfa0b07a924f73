import { FAULT_HELP } from '../../sandbox/faults/fault.ts'
import { PROJECT_SETTING_HELP } from '../../sandbox/project-setting.ts'
import { describe } from '../command.ts'
import { OPTIONS } from './options.ts'

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
