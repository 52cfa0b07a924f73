import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { FINDING_LEVELS, type Finding, findingJson, hasErrors } from '../../checks/finding.ts'
import { preflight } from '../../checks/preflight/preflight.ts'
import type { Input, NamedPlace } from '../../checks/preflight/subject.ts'
import { type Subject, systemTools } from '../../checks/preflight/subject.ts'
import { EXIT, PosthaulError } from '../../errors.ts'
import { guardFindings } from '../../guards/guards.ts'
import { foreseeGroups } from '../../imports/group-input.ts'
import { foreseeLosses, type Losses, lossesIn } from '../../imports/losses.ts'
import { sentOtherwise } from '../../imports/sent-before.ts'
import { type StatePlace, statePlace } from '../../imports/state-place.ts'
import type { Io } from '../../io.ts'
import { loadMigration } from '../../migration/migration-file.ts'
import { migrationEnv, migrationSubject } from '../../migration/migration-subject.ts'
import { inStore } from '../../migration/stages.ts'
import type { Options } from '../../options/options.ts'
import { flagOf } from '../../options/row.ts'
import type { ReaderValues } from '../../options/service-settings.ts'
import { VENDORS } from '../../sources/vendors.ts'
import { openStore } from '../../store/open.ts'
import { isS3, parseS3, s3Address } from '../../store/s3-location.ts'
import { COLUMNS, hung } from '../../text/fold.ts'
import { posthaulLine } from '../../text/shell-word.ts'
import { findingCounts, findingLines } from '../lines.ts'
import { type DoctorCall, OPTIONS } from './index.ts'
import type { DoctorResult } from './result.ts'

export { doctorResult as schema } from './result.ts'

export const exit = ({ ready }: DoctorResult) => (ready ? EXIT.done : EXIT.rejects)

export function next({ ready }: DoctorResult, _: DoctorCall, { argv }: Io): readonly string[] {
  return ready ? [] : hung(`mend the errors, then: ${posthaulLine(argv)}`)
}

/** Looks at what a migration file names, or at what the options name. */
export async function* run(call: DoctorCall, world: Io): AsyncGenerator<DoctorResult> {
  const [file] = call.args
  const findings = file === undefined ? await byOptions(call, world) : await byFile(file, call, world)
  const counts = Object.fromEntries(
    FINDING_LEVELS.map((level) => [level, findings.filter((one) => one.level === level).length]),
  ) as Record<Finding['level'], number>
  yield {
    ...{ version: 1, command: 'doctor', ready: !hasErrors(findings), counts },
    findings: findings.map(findingJson),
  }
}

async function byFile(file: string, { resolved }: DoctorCall, world: Io): Promise<Finding[]> {
  const given = OPTIONS.find((row) => {
    return flagOf(row) !== '--json' && Object.values(resolved).some((found) => found?.from === flagOf(row))
  })
  if (given) {
    throw new PosthaulError(`${flagOf(given)} and a migration file both say what to look at`, {
      code: 'usage',
      hint: 'leave one of the two out: the file says it all',
    })
  }
  const loaded = await loadMigration(file, world.env)
  const env = migrationEnv(loaded, world.env)
  const { migration, at } = loaded
  const inPlace = (name: string) => at(inStore(migration, name))
  const [states, events] = [inPlace('state'), inPlace('events')]
  const subject = await migrationSubject(loaded, file, env)
  const found = await preflight(subject, systemTools({ ...world, env }))
  const guarded: Finding[] = []
  const datasets = (await datasetsIn(events).catch(ifUnreadable)) ?? []
  const losses =
    datasets.length > 0
      ? await foreseeLosses(subject.service!, { ...world, env }).catch(ifUnreadable)
      : undefined
  for (const name of datasets) {
    const path = isS3(events) ? s3Address(parseS3(events), name) : join(events, name)
    const place = statePlace({ input: path, state: states }, env)
    const accept = [migration.import.accept ?? []].flat().map(String)
    const source = { path, place, losses }
    for (const one of await byGuards(source, subject.service!, { ...world, env }, accept))
      guarded.push({ ...one, text: `events/${name}: ${one.text}` })
  }
  return [...found, ...guarded]
}

/** The names of the datasets in a folder or a bucket; none where there is no such place. */
async function datasetsIn(location: string): Promise<string[]> {
  if (!isS3(location) && !existsSync(location)) return []
  const files = await (await openStore(location)).list()
  return files.flatMap(({ name }) => name.match(/^([^/]+)\/manifest\.json$/)?.[1] ?? [])
}

async function byOptions(options: DoctorCall, world: Io): Promise<Finding[]> {
  const subject = doctorSubject(options, world.env)
  const { file, dataset } = options.values
  const input = dataset ?? file[0]
  const place = input === undefined ? undefined : statePlace({ ...options.values, input }, world.env)
  const guarded =
    dataset !== undefined && place
      ? await byGuards(
          { path: dataset, place, losses: await foreseeLosses(options, world).catch(ifUnreadable) },
          options,
          world,
        )
      : []
  return [...(await preflight(subject, systemTools(world))), ...guarded]
}

/** What would stop the import of a dataset, so far as that is known without reading it. Whom nobody can ask, preflight says. */
async function byGuards(
  {
    path,
    place,
    losses,
  }: { readonly path: string; readonly place: StatePlace; readonly losses: Losses | undefined },
  options: Options<ReaderValues>,
  world: Io,
  accept: readonly string[] = [],
): Promise<readonly Finding[]> {
  const source = { input: { kind: 'dataset', path }, switches: [], bigIntegersAsStrings: false } as const
  const [seen, sent, lost] = await Promise.all([
    foreseeGroups(source, options, world).catch(ifUnreadable),
    sentOtherwise(path, place).catch(ifUnreadable),
    losses && lossesIn(path, losses, world).catch(ifUnreadable),
  ])
  return guardFindings({ groups: seen?.groups, sent, ...lost }, accept)
}

function ifUnreadable(error: unknown): undefined {
  if (!(error instanceof PosthaulError)) throw error
}

/** What the options say of a migration. */
function doctorSubject(options: DoctorCall, env: Io['env']): Subject {
  const { values, resolved } = options
  const { out, dataset, in: inputs } = values
  const imported = dataset ?? values.file[0]
  const places: NamedPlace[] = inputs
    .filter(isS3)
    .map((location) => ({ what: 'input', location, use: 'reads' }))
  if (out !== undefined) places.push({ what: 'output', location: out, use: 'writes' })
  if (dataset !== undefined && isS3(dataset))
    places.push({ what: 'dataset', location: dataset, use: 'reads' })
  if (imported !== undefined) {
    const { location } = statePlace({ ...values, input: imported }, env)
    places.push({ what: 'state', location, use: 'writes', conditional: !values.singleWriter })
  }
  const { ingestHost, host, region } = resolved
  const isGiven = (name: string) => Boolean(env[name] || env[`${name}_FILE`])
  const isSet = [ingestHost, host, region].some(Boolean) || KEYS.some(isGiven)
  const sends = imported !== undefined || isSet || values.projectKeyStdin
  const input = inputOf(values)
  return {
    service: options,
    sends,
    via: values.via ?? 'batch',
    sources: VENDORS.filter(({ signs }) => signs.some(isGiven)).map(({ name }) => ({ vendor: name })),
    places,
    ...(input && { input }),
  }
}

const KEYS = ['POSTHOG_PROJECT_API_KEY', 'POSTHOG_PERSONAL_API_KEY']

function inputOf({ in: inputs, dataset, file }: DoctorCall['values']): Input | undefined {
  if (inputs.length === 0 && dataset !== undefined) return { dataset }
  const files = inputs.length > 0 ? inputs : file
  return files.length > 0 ? { files } : undefined
}

/** The findings, errors and what they are told from. */
export function lines({ findings }: DoctorResult): string[] {
  return [`doctor: ${findingCounts(findings)}`.slice(0, COLUMNS), ...findingLines(findings)]
}
