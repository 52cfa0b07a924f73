import { PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import type { Values } from '../../options/row.ts'
import {
  DATA,
  EXPOSE,
  FAULT,
  LISTEN_HOST,
  PORT,
  PROJECT_SETTING,
  SANDBOX_PROJECT_KEY,
  SEED,
  STORAGE,
} from '../../options/rows/sandbox-rows.ts'
import { readProjectSettings } from '../../sandbox/project-setting.ts'
import type { SandboxOptions } from '../../sandbox/sandbox.ts'

export const SANDBOX_ROWS = [
  PORT,
  DATA,
  FAULT,
  SEED,
  PROJECT_SETTING,
  STORAGE,
  SANDBOX_PROJECT_KEY,
  LISTEN_HOST,
  EXPOSE,
] as const

export type SandboxValues = Values<typeof SANDBOX_ROWS>

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/

/** What the options say of a sandbox. Code `usage` for what must not be. */
export function sandboxOptions(values: SandboxValues, { env }: Io): SandboxOptions {
  if (!LOOPBACK.test(values.host) && !values.expose) {
    throw new PosthaulError(
      `${values.host} can be reached from other machines, and the sandbox is plain HTTP`,
      {
        code: 'usage',
        hint: 'add --expose if you mean it',
      },
    )
  }
  if (values.projectKey?.startsWith('phx_')) {
    throw new PosthaulError('--project-key holds a personal key (phx_…)', {
      code: 'usage',
      hint: 'give a project key, phc_…, or leave the option out',
    })
  }
  const { port, host, data, projectKey, fault: faults, seed, storage } = values
  // Not POSTHOG_PERSONAL_API_KEY: that may hold a real key, and this one is printed.
  const personalKey = env.POSTHAUL_SANDBOX_PERSONAL_KEY
  return {
    port,
    host,
    faults,
    seed,
    storage,
    ...readProjectSettings(values.projectSetting),
    ...(data !== undefined && { data }),
    ...(projectKey !== undefined && { projectKey }),
    ...(personalKey && { personalKey }),
  }
}
