import {
  type Finding,
  hasErrors,
  type Input,
  mayPass,
  type NamedPlace,
  preflight,
  type Room,
  type Subject,
  systemTools,
} from '../../checks/index.ts'
import { EXIT, type ExitCode, PosthaulError } from '../../errors.ts'
import { GaveUp, type RetryOptions, retrying, systemClock } from '../../http/index.ts'
import type { Io } from '../../io.ts'
import {
  duration,
  givenOptions,
  INGEST_ROWS,
  loadConfigFile,
  OPTIONAL_API_ROWS,
  RETRY_FOR,
} from '../../options/index.ts'
import { isS3, withEndpoint } from '../../store/index.ts'
import { MS_PER_SECOND } from '../../text/index.ts'
import { workHome } from '../import/state-place.ts'
import { type LoadedMigration, type Migration, migrationProject } from './migration-file.ts'
import type { StagePlan } from './run-summary.ts'
import type { RunStageName } from './stages.ts'

/** What was found at the last look, and the exit code where a run must not begin. */
interface Readiness {
  readonly findings: readonly Finding[]
  readonly exit: ExitCode | undefined
}

/**
 * Looks until a run can begin, a person must mend something, or the budget is over. Only errors that all may pass by
 * themselves, such as a service that is down, are looked at again.
 */
export async function awaitReady(look: () => Promise<Finding[]>, options: RetryOptions): Promise<Readiness> {
  let findings: Finding[] = []
  const attempt = async (): Promise<Readiness> => {
    findings = await look()
    if (!hasErrors(findings)) return { findings, exit: undefined }
    if (!mayPass(findings)) return { findings, exit: EXIT.rejects }
    const { text } = findings.find(({ level }) => level === 'error')!
    throw new PosthaulError(text, { code: 'unavailable', fate: 'retry' })
  }
  try {
    return await retrying(attempt, options)
  } catch (error) {
    if (error instanceof GaveUp) return { findings, exit: EXIT.paused }
    throw error
  }
}

/** Whether the stages of a plan can begin. What passes is waited for as long as the import retries, or the run has time. */
export async function readinessOf(
  loaded: LoadedMigration,
  plans: readonly StagePlan[],
  stopAfterMs: number | undefined,
  io: Io,
): Promise<Readiness> {
  const { source, import: importing } = loaded.migration
  const env = source.kind === 'vendor' ? { ...io.env, ...source.env } : io.env
  const subject = await runSubject(loaded, plans, env)
  const retryForMs = duration(String(importing.retry_for ?? RETRY_FOR.default))
  return awaitReady(() => preflight(subject, systemTools({ ...io, env })), {
    retryForMs: Math.min(retryForMs, stopAfterMs ?? Number.POSITIVE_INFINITY),
    clock: systemClock,
    random: Math.random,
    signal: io.interrupted,
    onRetry: ({ message }, ms) => {
      io.telemetry.note('run', `looking again in ${Math.ceil(ms / MS_PER_SECOND)} s: ${message}`, 'warn')
    },
  })
}

/** What is known of a migration before the stages of a plan run. */
async function runSubject(
  { migration, at }: LoadedMigration,
  plans: readonly StagePlan[],
  env: Io['env'],
): Promise<Subject> {
  const { source, store, caps, approval, import: importing } = migration
  const running = plans.filter(({ decision }) => decision.runs)
  const runs = (stage: RunStageName) => running.some(({ step }) => step.stage === stage)
  const location = withEndpoint(at(store.at), store.endpoint)
  const places: NamedPlace[] = isS3(location)
    ? [{ what: 'store', location, use: 'writes', conditional: !store.singleWriter }]
    : []
  const sending = {
    perMinute: caps.eventsPerMinute,
    events: caps.events,
    lanes: Number(importing.lanes ?? 1),
  }
  const granted = approval && {
    perMinute: approval.eventsPerMinute,
    events: approval.events,
    reference: approval.reference,
  }
  const place = (path: string) => withEndpoint(path, store.endpoint)
  const input = inputOf(running, source.kind === 'files' ? source.files.map(at) : [], place)
  const via = importing.via
  return {
    service: await serviceOf(migration, env),
    sends: runs('import'),
    via: via === 'v1' || via === 'auto' ? via : 'batch',
    sources: source.kind === 'vendor' && runs('export') ? [migrationProject(source)] : [],
    places,
    rooms: roomsOf({ migration, at }, runs, env),
    ...(input && { input }),
    ...(runs('import') && { caps: { ...sending, ...(granted && { granted }) } }),
  }
}

/** The folders of this machine that what runs needs room in. */
function roomsOf(
  { migration, at }: LoadedMigration,
  runs: (stage: RunStageName) => boolean,
  env: Io['env'],
): Room[] {
  const { store, mapping } = migration
  const gzip = mapping.settings.gzip === true
  if (isS3(store.at)) {
    const folder = workHome(env, store.workDir === undefined ? undefined : at(store.workDir))
    return runs('transform') ? [{ folder, holds: 'work' }] : []
  }
  const folder = at(store.at)
  const rooms: Room[] = []
  if (runs('export')) rooms.push({ folder, holds: 'raw' })
  if (runs('transform')) rooms.push({ folder, holds: 'work' }, { folder, holds: 'events', gzip })
  if (runs('import')) rooms.push({ folder, holds: 'state' })
  return rooms
}

/** The service's address as the file says it, and keys as the commands find them. */
async function serviceOf({ target }: Migration, env: Io['env']): Promise<NonNullable<Subject['service']>> {
  const config = await loadConfigFile(undefined, env)
  const { region, host, ingestHost, projectId } = target
  const keys = {
    projectKeyFile: config.get('projectKeyFile')?.text,
    personalKeyFile: config.get('personalKeyFile')?.text,
  }
  return givenOptions(
    [...INGEST_ROWS, ...OPTIONAL_API_ROWS] as const,
    { region, host, ingestHost, projectId, ...keys },
    { env },
  )
}

/** What the first stage that runs reads, where it is there already. */
function inputOf(
  running: readonly StagePlan[],
  files: readonly string[],
  place: (path: string) => string,
): Input | undefined {
  const first = running[0]?.step
  if (first === undefined || first.stage === 'export') return undefined
  if (first.stage !== 'transform') return { dataset: place(first.events) }
  return { files: (first.raw === undefined ? files : [first.raw]).map(place) }
}
