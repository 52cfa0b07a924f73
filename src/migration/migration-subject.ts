import type { NamedPlace, ServiceSubject, Subject } from '../checks/preflight/subject.ts'
import { loadConfigFile } from '../options/config-file.ts'
import { givenOptions } from '../options/given.ts'
import type { Resolved } from '../options/options.ts'
import type { Env } from '../options/row.ts'
import { INGEST_ROWS, OPTIONAL_API_ROWS } from '../options/service-settings.ts'
import { isS3 } from '../store/s3-location.ts'
import { type LoadedMigration, type Migration, migrationProject } from './migration-file.ts'
import type { RunStageName, StagePlan } from './stages.ts'

/** What a migration file says, for the checks before it begins. `name`: the file's, for messages. */
export async function migrationSubject(
  { migration, at }: LoadedMigration,
  name: string,
  env: Env,
): Promise<Subject> {
  const { source } = migration
  const files = source.kind === 'files' ? source.files.map(at) : []
  const buckets = files
    .filter(isS3)
    .map((location) => ({ what: 'the input', location, use: 'reads' as const }))
  const known = {
    service: await serviceOf(migration, env, name),
    places: [storeOf({ migration, at }, 'the store'), ...buckets],
    ...(source.kind === 'files' && { input: { files } }),
  }
  return subjectOf({ migration, at }, known, (stage) => stage !== 'export' || source.kind === 'vendor')
}

/** What is known of a migration before the stages of a plan run. */
export async function runSubject(
  { migration, at }: LoadedMigration,
  plans: readonly StagePlan[],
  env: Env,
): Promise<Subject> {
  const running = plans.filter(({ decision }) => decision.runs)
  const known = {
    service: await serviceOf(migration, env),
    places: [storeOf({ migration, at }, 'store')].filter(({ location }) => isS3(location)),
  }
  return subjectOf({ migration, at }, known, (of) => running.some(({ step }) => step.stage === of))
}

/** `runs`: which stages are to run. */
function subjectOf(
  { migration, at }: LoadedMigration,
  known: Pick<Subject, 'service' | 'places' | 'input'>,
  runs: (stage: RunStageName) => boolean,
): Subject {
  const {
    source,
    import: { via },
  } = migration
  return {
    ...known,
    sends: runs('import'),
    via: via === 'v1' ? via : 'batch',
    sources: source.kind === 'vendor' && runs('export') ? [migrationProject(source, at)] : [],
  }
}

function storeOf({ migration, at }: LoadedMigration, what: string): NamedPlace {
  const { store } = migration
  return { what, location: at(store.at), use: 'writes', conditional: !store.single_writer }
}

/** The environment as the stages have it: the file names the project that is exported. */
export function migrationEnv({ migration: { source } }: LoadedMigration, env: Env): Env {
  return source.kind === 'vendor' ? { ...env, ...source.env } : env
}

/** The service's address as the file says it, and keys as the commands find them. `name`: the file's, for messages. */
async function serviceOf({ target }: Migration, env: Env, name?: string): Promise<ServiceSubject> {
  const config = await loadConfigFile(undefined, env)
  const { region, host, ingest_host: ingestHost, project_id: projectId } = target
  const [projectKeyFile, personalKeyFile] = (['projectKeyFile', 'personalKeyFile'] as const).map(
    (key) => config.get(key)?.text,
  )
  const given = { region, host, ingestHost, projectId, projectKeyFile, personalKeyFile }
  const options = givenOptions([...INGEST_ROWS, ...OPTIONAL_API_ROWS] as const, given, { env })
  if (name === undefined) return options
  const said = <T>(setting: string, found: Resolved<T> | undefined) =>
    found?.source === 'cli' ? { ...found, from: `target.${setting} in ${name}` } : found
  const { resolved } = options
  const named = {
    region: said('region', resolved.region),
    host: said('host', resolved.host),
    ingestHost: said('ingest_host', resolved.ingestHost),
    projectId: said('project_id', resolved.projectId),
  }
  return { ...options, resolved: { ...resolved, ...named } }
}
