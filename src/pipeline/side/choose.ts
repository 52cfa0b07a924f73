import { PosthaulError } from '../../errors.ts'
import type { InputFile } from '../../inputs/input-file.ts'
import { listInputs } from '../../inputs/list.ts'
import type { ChooseOptions } from '../../inputs/manifests/by-manifests.ts'
import type { Preset } from '../../mapping/preset.ts'
import { joinable, type SideTable } from '../../mapping/side-table.ts'
import { nearest } from '../../text/nearest.ts'
import { shellWord } from '../../text/shell-word.ts'
import type { SideInputs } from './build.ts'

interface SidePlan {
  /** The preset's side tables, in its order; one that was not given has no inputs. */
  readonly sides: readonly SideInputs[]
  /** The inputs that hold records. */
  readonly records: readonly InputFile[]
}

interface SideRequest {
  readonly preset: string
  readonly loaded: Pick<Preset, 'sideTables'>
  /** `--join`: each a `NAME=PATH`. */
  readonly join: readonly string[]
  readonly switches: readonly string[]
  /** How files of a folder that `--join` names are chosen. */
  readonly choose?: Partial<ChooseOptions>
}

/** Tells files of side tables from those of records. Code `usage` for a `--join` that says no table of the preset. */
export async function planSides(request: SideRequest, inputs: readonly InputFile[]): Promise<SidePlan> {
  const tables = (request.loaded.sideTables ?? []).filter(
    ({ unless }) => unless === undefined || !request.switches.includes(unless),
  )
  const named = new Map<string, InputFile[]>()
  for (const text of request.join) {
    const { table, path } = parseJoin(text, request, tables)
    named.set(table.name, [...(named.get(table.name) ?? []), ...(await listInputs([path], request.choose))])
  }
  if (tables.length === 0) return { sides: [], records: inputs }
  const joined = (table: SideTable) =>
    once([...(named.get(table.name) ?? []), ...inputs.filter((input) => isOf(input, table))])
  const given = joinable(tables)
    .map((table) => ({ table, inputs: joined(table) }))
    .filter(({ table, inputs }) => inputs.length > 0 || !table.rare)
  const apart = new Set(
    given.filter(({ table }) => !table.alsoRecords).flatMap((side) => side.inputs.map(placeOf)),
  )
  const records = inputs.filter((input) => !apart.has(placeOf(input)))
  if (records.length === 0 && inputs.length > 0) throw onlySides(given)
  const names = new Set(given.filter((side) => side.inputs.length > 0).map((side) => side.table.name))
  const own = tables
    .filter(({ ofRecords, needs }) => ofRecords && (needs === undefined || names.has(needs)))
    .map((table) => ({ table, inputs: records }))
  const sides = [...given, ...own].sort((a, b) => tables.indexOf(a.table) - tables.indexOf(b.table))
  return { sides, records }
}

function parseJoin(text: string, { preset }: SideRequest, tables: readonly SideTable[]) {
  const equals = text.indexOf('=')
  const [name, path] = [text.slice(0, Math.max(0, equals)), text.slice(equals + 1)]
  const names = joinable(tables).map((table) => table.name)
  const table = tables.find((one) => names.includes(one.name) && one.name === name)
  if (table && path !== '') return { table, path }
  const guess = nearest(name, names)
  throw new PosthaulError(
    names.length === 0
      ? `--join ${text}: the preset ${preset} joins no tables`
      : `--join ${text} is no table of the preset ${preset} with a path`,
    {
      code: 'usage',
      hint:
        names.length === 0
          ? 'leave --join out'
          : guess !== undefined && guess !== name
            ? `did you mean --join ${shellWord(`${guess}=${path}`)}?`
            : `give --join ${names.join('=PATH, --join ')}=PATH`,
    },
  )
}

function isOf({ table, path, member }: InputFile, { name, folder }: SideTable): boolean {
  if (table?.toLowerCase() === name.toLowerCase()) return true
  return folder !== undefined && `/${member?.name ?? path}`.includes(`/${folder}/`)
}

/** A file that was found by two ways, once. */
function once(inputs: readonly InputFile[]): InputFile[] {
  return [...new Map(inputs.map((input) => [placeOf(input), input])).values()]
}

function placeOf({ path, member }: InputFile): string {
  return member === undefined ? path : `${path}\0${member.name}`
}

function onlySides(given: readonly SideInputs[]): PosthaulError {
  const names = given.filter(({ inputs }) => inputs.length > 0).map(({ table }) => table.name)
  return new PosthaulError(
    `all inputs are tables to be joined (${names.join(', ')}), and none holds events`,
    {
      code: 'input',
      hint: 'give the tables with the events too, with --in',
    },
  )
}
