import type { Fates } from '../record/inventory.ts'
import { LEFT_OUT } from './fates.ts'
import type { Preset } from './preset.ts'

/**
 * The members of records that the vendor's documents, as far as the preset knows them, don't name: those that only an
 * `undocumented` rule met. By path, with the most records that any of its fates has. `members` is as an inventory has it.
 */
export function unheardOf(
  { undocumented = {}, fields }: Preset,
  members: Readonly<Record<string, Fates>>,
): Record<string, number> {
  const paths = Object.keys(fields)
  const isNamed = (path: string) => path in fields || paths.some((other) => other.startsWith(`${path}.`))
  const found = Object.entries(members).flatMap(([path, fates]): Array<[string, number]> => {
    const name = path.slice(path.lastIndexOf('.') + 1)
    const known = undocumented[`${path.slice(0, path.length - name.length)}*`]
    const isMet = known?.includes(name) === false && !isNamed(path) && !hasPattern(paths, path)
    const records = Math.max(...Object.entries(fates).map(([fate, n]) => (fate === LEFT_OUT.empty ? 0 : n)))
    return isMet && records > 0 ? [[path, records]] : []
  })
  return Object.fromEntries(found)
}

/** True if a pattern such as `initial_*` names the member. */
function hasPattern(paths: readonly string[], path: string): boolean {
  return paths.some((other) => /[^.]\*$/.test(other) && path.startsWith(other.slice(0, -1)))
}
