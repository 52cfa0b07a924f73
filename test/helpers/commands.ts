import { runCommand } from './command.ts'

/** The words that lead to each command; `''` is posthaul itself. */
export const COMMANDS = [
  '',
  'export',
  'export mixpanel',
  'export matomo',
  'export amplitude',
  'export posthog',
  'init',
  'transform',
  'studio',
  'explain',
  'fleet',
  'fleet plan',
  'fleet job',
  'fleet run',
  'fleet status',
  'fleet finish',
  'import',
  'status',
  'check',
  'verify',
  'undo',
  'report',
  'doctor',
  'run',
  'groups',
  'groups types',
  'groups list',
  'groups find',
  'groups property-definitions',
  'groups property-values',
  'groups export',
  'projects',
  'projects list',
  'sandbox',
  'demo',
  'completion',
  'man',
] as const

export const pathOf = (name: string): string[] => name.split(' ').filter((word) => word !== '')

/** An option as help shows it. */
export interface ShownOption {
  readonly flag: string
  readonly takesValue: boolean
  readonly takesSeveral: boolean
}

/** All options of a command, but for --help and --version. */
export async function optionsIn(name: string): Promise<ShownOption[]> {
  const { stdout } = await runCommand([...pathOf(name), '--help', '--all'])
  return [...stdout.matchAll(/^ {2}(?:-[qv], )?(--[a-z-]+)(?: <([^>]+)>)?(?= {2}|$)/gm)].map(
    ([, flag, value]) => ({
      flag: flag!,
      takesValue: value !== undefined,
      takesSeveral: value?.endsWith('...') ?? false,
    }),
  )
}
