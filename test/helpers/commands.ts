import { runCommand } from './command.ts'

/** The words that lead to each command, as help lists them; `''` is posthaul itself. */
export const COMMANDS: readonly string[] = await namesBelow([])

async function namesBelow(path: readonly string[]): Promise<string[]> {
  const { stdout } = await runCommand([...path, '--help'])
  // Those of posthaul itself are in groups, each with a heading of its own.
  const heads = path.length === 0 ? '(?!Options)\\w+' : 'Commands'
  const lists = [...stdout.matchAll(new RegExp(`^${heads}:\\n((?: {2,}.*\\n)+)`, 'gm'))]
  const names = lists.flatMap(([, list]) => [...list!.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name!))
  const below = names.filter((name) => name !== 'help').map((name) => namesBelow([...path, name]))
  return [path.join(' '), ...(await Promise.all(below)).flat()]
}

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
