import { Command } from 'commander'
import type { Input, NamedPlace, Room, ServiceSubject, Subject } from '../../checks/index.ts'
import {
  type Env,
  INGEST_ROWS,
  PERSONAL_KEY_FILE,
  PROJECT_ID,
  type Resolved,
  useOptions,
} from '../../options/index.ts'
import { isS3, withEndpoint } from '../../store/index.ts'
import { workHome } from '../import/state-place.ts'
import { type LoadedMigration, type Migration, migrationProject } from './migration-file.ts'
import { wordsFor } from './row-setting.ts'

const SERVICE_ROWS = [...INGEST_ROWS, PROJECT_ID, PERSONAL_KEY_FILE] as const

/** What a migration file says, for the checks before it begins. `name`: the file's, for messages. */
export async function migrationSubject(
  { migration, at }: LoadedMigration,
  name: string,
  env: Env,
): Promise<Subject> {
  const { source, store, caps, approval } = migration
  const { via, lanes } = migration.import
  const input: Input | undefined =
    source.kind === 'files'
      ? { files: source.files.map((path) => withEndpoint(at(path), store.endpoint)) }
      : undefined
  return {
    service: await serviceOptions(migration, name, env),
    sends: true,
    via: via === 'v1' || via === 'auto' ? via : 'batch',
    sources: source.kind === 'vendor' ? [migrationProject(source)] : [],
    places: [...placesOf(migration, at), ...bucketsOf(input)],
    rooms: roomsOf({ migration, at }, env),
    ...(input && { input }),
    caps: {
      perMinute: caps.eventsPerMinute,
      events: caps.events,
      lanes: typeof lanes === 'string' ? Number(lanes) : 1,
      ...(approval && {
        granted: {
          perMinute: approval.eventsPerMinute,
          events: approval.events,
          reference: approval.reference,
        },
      }),
    },
  }
}

/** The environment as the stages have it: the file names the project that is exported. */
export function migrationEnv({ migration: { source } }: LoadedMigration, env: Env): Env {
  return source.kind === 'vendor' ? { ...env, ...source.env } : env
}

/** The options as an import in the place of the file would read them, config file and all. */
async function serviceOptions({ target }: Migration, name: string, env: Env): Promise<ServiceSubject> {
  const { region, host, ingestHost, projectId } = target
  const words = wordsFor({ region, host, ingest_host: ingestHost, project_id: projectId })
  const command = new Command().exitOverride()
  const read: ServiceSubject[] = []
  useOptions(command, SERVICE_ROWS, env, async (options) => void read.push(options))
  await command.parseAsync(words, { from: 'user' })
  const options = read[0]!
  const said = <T>(setting: string, found: Resolved<T> | undefined) =>
    found?.source === 'cli' ? { ...found, from: `target.${setting} in ${name}` } : found
  return {
    ...options,
    resolved: {
      ...options.resolved,
      region: said('region', options.resolved.region),
      host: said('host', options.resolved.host),
      ingestHost: said('ingest_host', options.resolved.ingestHost),
      projectId: said('project_id', options.resolved.projectId),
    },
  }
}

function placesOf({ store }: Migration, at: LoadedMigration['at']): NamedPlace[] {
  const location = withEndpoint(at(store.at), store.endpoint)
  return [{ what: 'the store', location, use: 'writes', conditional: !store.singleWriter }]
}

function bucketsOf(input: Input | undefined): NamedPlace[] {
  const files = input && 'files' in input ? input.files : []
  return files.filter(isS3).map((location) => ({ what: 'the input', location, use: 'reads' }))
}

function roomsOf({ migration, at }: LoadedMigration, env: Env): Room[] {
  const { store, source, mapping } = migration
  const raw: Room['holds'][] = source.kind === 'vendor' ? ['raw'] : []
  if (isS3(store.at)) {
    const folder = workHome(env, store.workDir === undefined ? undefined : at(store.workDir))
    return [{ folder, holds: 'work' }]
  }
  const folder = at(store.at)
  const gzip = mapping.settings.gzip === true
  return [...raw, 'work' as const, 'events' as const, 'state' as const].map((holds) => ({
    folder,
    holds,
    ...(holds === 'events' && { gzip }),
  }))
}
