import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { hiddenBefore, type VerifyInput } from '../../checks/verify-input.ts'
import { hiddenBy } from '../../checks/words/of-service.ts'
import { EXIT, type ExitCode, PosthaulError } from '../../errors.ts'
import { Secret } from '../../http/secret.ts'
import { withApi } from '../../imports/api-session.ts'
import { stateLease } from '../../imports/import-turn.ts'
import { homeTargetOf, keysOf, ledgerOf } from '../../imports/project-keys.ts'
import {
  assertNamedThere,
  openState,
  type StatePlace,
  stateHome,
  statePlace,
} from '../../imports/state-place.ts'
import {
  beginRequest,
  isLost,
  isOver,
  keepRequest,
  requestsFor,
  shownRequest,
  type UndoRequest,
  undoCells,
} from '../../imports/undo-record.ts'
import { requestWords } from '../../imports/undo-words.ts'
import { openInputs } from '../../imports/verify-inputs.ts'
import type { Io } from '../../io.ts'
import type { Api, AskedProject } from '../../service/api.ts'
import {
  type DeletionRequest,
  fileDeletion,
  findDeletion,
  isDeletionRefused,
  previewDeletion,
} from '../../service/deletion-requests.ts'
import { ServiceError } from '../../service/errors.ts'
import { chooseProject, projectOwners } from '../../service/key-owner.ts'
import { type Retention, retentionOf } from '../../service/retention.ts'
import { acquireLease } from '../../state/lease.ts'
import { openStore } from '../../store/open.ts'
import { fold, hung } from '../../text/fold.ts'
import { visible } from '../../text/visible.ts'
import { number, plural } from '../../text/words.ts'
import { assertNamed } from '../confirm.ts'
import { datasetOf } from '../dataset-argument.ts'
import { countExtent, type Extent, extentOf, extentOfId, undoQuery } from './extent.ts'
import type { UndoCall } from './index.ts'
import type { UndoResult } from './result.ts'

export { undoResult as schema } from './result.ts'

/** 3 where no request was filed, or one has ended otherwise; 5 while one is at work and its end is waited for. */
export function exit({ request, events, others }: UndoResult, { values }: UndoCall): ExitCode {
  if (values.request) return request || events === 0 ? EXIT.done : EXIT.rejects
  if (!values.status) return others ? EXIT.rejects : EXIT.done
  if (request?.left === 0) return EXIT.done
  const isAtWork = request?.left === null && request.status !== 'failed' && request.status !== 'gone'
  return isAtWork ? EXIT.paused : EXIT.rejects
}

/** What is known of the import before the project is asked about its events. */
type Subject = Awaited<ReturnType<typeof subjectOf>>

/** Looks, files a request, or follows it. */
export async function* run(call: UndoCall, world: Io): AsyncGenerator<UndoResult> {
  const named = await namedBy(call, world)
  yield await withApi(call, world, async (api) => {
    const subject = await subjectOf(call, named, api)
    return call.values.status ? follow(subject, world) : look(subject, call, world)
  })
}

async function look(subject: Subject, call: UndoCall, world: Io): Promise<UndoResult> {
  const { values } = call
  const { asked, project, hidden, inputs, last } = subject
  const active = last && !isOver(last) ? last : undefined
  const extent = active ?? (inputs ? extentOf(inputs) : await extentOfId(asked, values.importId!))
  const query = active?.query ?? undoQuery(extent)
  const counted = await countExtent(asked, extent, inputs)
  const found = answer(project, extent, { ...counted, hidden, query }, active)
  if (!values.request) return { ...found, ...(await isAllowed(asked, query)) }
  // A run that was killed may have written one of the record's files only.
  if (active?.id) await keepRequest(subject.cells, active.submission_id, active)
  // What others brought would go too: they are deleted only where the id itself is named.
  if (active?.id || found.others || found.events === 0) return found
  assertNamed(values.request, project.name, 'nothing was asked')
  const request = await file(subject, found, world)
  // Another run has asked for other days of the import since we looked: its request is the answer.
  if (request.query !== query) return look({ ...subject, last: request }, call, world)
  return { ...found, request: shownRequest(request) }
}

/** What is to be taken back, and where its state is. It comes before the project, so that a wrong path is said without a key. */
async function namedBy({ values, args: [argument], env }: UndoCall, world: Io) {
  const { importId, file: files, singleWriter } = values
  if (importId !== undefined && argument !== undefined) {
    throw new PosthaulError('a dataset and --import-id each say what to take back', { code: 'usage' })
  }
  if (importId !== undefined) return { place: undefined, inputs: undefined }
  const datasets = files.length > 0 ? [] : [datasetOf(argument, values.dataset)]
  const place = { ...statePlace({ ...values, input: datasets[0] ?? files[0]! }, env), singleWriter }
  await assertNamedThere(place, values)
  return { place, inputs: await openInputs({ datasets, files }, [place], world) }
}

async function subjectOf(
  { values, env }: UndoCall,
  { place, inputs }: Awaited<ReturnType<typeof namedBy>>,
  api: Api,
) {
  const { importId, state, singleWriter } = values
  const ledger = place?.ledger ?? (state === undefined ? stateHome(env) : state)
  const id = await chooseProject(api)
  const owner = (await projectOwners(api)).find((project) => id === String(project.id))
  const saved = place && (await (await openState(place)).load())?.state
  const token = owner?.api_token
  const key =
    token === undefined
      ? saved?.target.key
      : (await keysOf(await openStore(ledger), new Secret(token, 'the project').fingerprint()))[0]
  if (owner === undefined || key === undefined)
    throw new PosthaulError('the project does not show its key, by which its imports are known', {
      code: 'auth',
    })
  const project = { id: String(owner.id), name: owner.name }
  if (saved && saved.target.key !== key) {
    throw new PosthaulError(`this was imported into another project than ${project.id} (${project.name})`, {
      code: 'mismatch',
      hint: 'set POSTHOG_PROJECT_ID and the personal key of the project that has it',
    })
  }
  const retention = retentionOf(owner, Date.now())
  const hidden = retention ? hiddenIn(inputs, retention) : null
  const extent = inputs && extentOf(inputs)
  const ids = extent?.import_ids ?? [importId]
  const cells = await undoCells(place, ledger, key, { singleWriter })
  const last = (await requestsFor(cells, { key, import_ids: ids, ...extent })).at(-1)
  return { asked: { api, projectId: id }, project, hidden, key, cells, place, inputs, last }
}

/** What the query of an undo can't select; of an id alone nobody knows how many events that are. */
function hiddenIn(inputs: readonly VerifyInput[] | undefined, retention: Retention): UndoResult['hidden'] {
  const { months, firstDay } = retention
  const found = inputs && hiddenBefore(inputs, retention)
  if (inputs && !found) return null
  return { events: found?.events ?? null, months, shown_from: firstDay }
}

async function isAllowed(asked: AskedProject, query: string) {
  try {
    await previewDeletion(asked, query)
    return { allowed: true, refusal: null }
  } catch (error) {
    if (!isDeletionRefused(error)) throw error
    return { allowed: false, refusal: error.message }
  }
}

async function file(
  { asked, project, key, cells, place, last }: Subject,
  { import_ids, first, last: lastDay, query }: UndoResult,
  world: Io,
): Promise<UndoRequest> {
  const lease = place && (await leaseOf(place, world))
  try {
    // Asked under the lease: what another run or a person has filed meanwhile is followed, and not filed twice.
    const there = last && !isOver(last) ? undefined : await findDeletion(asked, isAtWorkOn(query))
    const made: UndoRequest = {
      submission_id: there?.submission_id ?? randomUUID(),
      key,
      project_id: project.id,
      import_ids: [...import_ids],
      ...{ first, last: lastDay, query },
      id: there?.id ?? null,
      status: there?.status ?? 'sending',
      filed_at: new Date().toISOString(),
      left: null,
    }
    const request = await beginRequest(cells, made)
    if (request.id !== null) return request
    const { id, status } = await fileDeletion(asked, request).catch(async (error: unknown) => {
      // One that an earlier run has sent may have been taken, whatever is said now.
      if (request === made && wasRefused(error)) await keepRequest(cells, request.submission_id, undefined)
      throw error
    })
    const filed = { ...request, id, status }
    await keepRequest(cells, request.submission_id, filed)
    return filed
  } catch (error) {
    throw isDeletionRefused(error) ? refused(error, query) : error
  } finally {
    await lease?.release()
  }
}

async function follow(
  { asked, project, hidden, key, cells, place, last }: Subject,
  world: Io,
): Promise<UndoResult> {
  if (!last) {
    throw new PosthaulError(`nobody has asked project ${project.id} from here to delete this import`, {
      code: 'input',
      hint: 'undo --request files a request; give --state or --checkpoint as it was given then',
    })
  }
  const counted = await countExtent(asked, last, undefined)
  let now = last
  if (!isOver(last)) {
    const found = await findDeletion(
      asked,
      ({ id, submission_id }) => submission_id === last.submission_id || id === last.id,
    )
    const status = found?.status ?? (isLost(last, Date.now()) ? 'gone' : last.status)
    const left = status === 'completed' ? counted.events : null
    now = { ...last, id: found?.id ?? last.id, status, left }
    if (left === 0 && place) await settle(place, key, last.submission_id, world)
    await keepRequest(cells, last.submission_id, now)
  }
  return answer(project, last, { ...counted, hidden, query: last.query }, now)
}

function answer(
  project: UndoResult['project'],
  { import_ids, first, last }: Extent,
  counted: Pick<UndoResult, 'events' | 'others' | 'cells' | 'hidden' | 'query'>,
  request: UndoRequest | undefined,
): UndoResult {
  return {
    ...{ version: 1, command: 'undo', project, import_ids, first, last, ...counted },
    ...{ allowed: null, refusal: null, request: request ? shownRequest(request) : null },
  }
}

/** Notes that nothing of an import is left, so that it can begin anew. Done before imports are let in again. */
async function settle(place: UndoPlace, key: string, submissionId: string, world: Io): Promise<void> {
  const lease = await leaseOf(place, world)
  try {
    const state = await openState(place, place)
    const loaded = await state.load()
    if (loaded?.state.target.key !== key) return
    await state.save({
      ...loaded.state,
      undone: { at: new Date().toISOString(), submission_id: submissionId },
    })
    // The ledger goes on counting what was sent, but a copy of the dataset may be sent again.
    const { target } = loaded.state
    const path = state.checkpointPath
    const address = path.includes('://') ? path : resolve(path)
    const home = await openStore(stateHome(world.env))
    const ledgers = [await openStore(place.ledger, place), target] as const
    for (const [store, project] of [ledgers, [home, await homeTargetOf(home, target)] as const]) {
      const ledger = ledgerOf(store, project)
      if (!(await ledger.read())) continue
      await ledger.change(new Date().toISOString(), (state) => ({
        ...state,
        imports: state.imports.map(({ content, input, ...entry }) =>
          entry.checkpoint === address ? entry : { ...entry, content, input },
        ),
      }))
    }
  } finally {
    await lease.release()
  }
}

type UndoPlace = StatePlace & { readonly singleWriter: boolean }

/** Finds a request of the service that may still delete what a query selects. */
function isAtWorkOn(sought: string): (request: DeletionRequest) => boolean {
  return ({ query, status }) => query === sought && status !== 'completed' && status !== 'failed'
}

async function leaseOf(place: UndoPlace, { interrupted, telemetry }: Io) {
  const note = (text: string) => telemetry.note('undo', text, 'warn')
  return acquireLease({ cell: await stateLease(place, place), purpose: 'undo', signal: interrupted, note })
}

/** True if the service has answered that it does not take the request. */
function wasRefused(error: unknown): boolean {
  const cause = error instanceof PosthaulError && error.cause instanceof ServiceError ? error.cause : error
  return cause instanceof ServiceError && cause.status >= 400 && cause.status < 500 && cause.fate !== 'retry'
}

function refused(cause: ServiceError, query: string): PosthaulError {
  const why =
    cause.status === 404 ? 'this server knows no requests for deletion' : 'the project takes no such request'
  return new PosthaulError(`${why}: ${cause.message}`, {
    code: cause.code,
    lines: [`the HogQL: ${query}`],
    hint:
      "it needs the scope data_deletion:write, an organization admin, and a flag that PostHog's support sets; " +
      'or give support this HogQL and the number of the project',
    cause,
  })
}

const MOST_CELLS = 20

const STAYS =
  'what stays: persons and their properties, groups, definitions, and events without one of these ids. ' +
  'Events that another tool brought under the same uuids are deleted with them: they can not be told apart'

/** The answer in words. */
export function lines(result: UndoResult): string[] {
  const { project, events, others, cells, request } = result
  const where = `project ${project.id} (${visible(project.name)})`
  return [
    ...fold(
      `undo: ${plural(events, 'event')} of this import in ${where}, ${result.first} to ${result.last}`,
      '  ',
      '',
    ),
    ...cells.slice(0, MOST_CELLS).map(({ day, event, events: of, others: more }) => {
      const besides = more ? `, ${number(more)} of them not of this import` : ''
      return `  ${day}  ${visible(event)}: ${number(of)}${besides}`
    }),
    ...(cells.length > MOST_CELLS ? [`  and ${number(cells.length - MOST_CELLS)} more days and names`] : []),
    ...(others
      ? hung(
          `not of this import, under the same id: ${plural(others, 'event')} of another import. --request takes none back; with --import-id ${result.import_ids[0]} it takes both`,
        )
      : []),
    ...hiddenLines(result),
    ...hung(STAYS),
    ...(request ? hung(requestWords(request, events)) : supportLines(result)),
  ]
}

/** Says what the query can't reach. */
function hiddenLines({ hidden }: UndoResult): string[] {
  if (!hidden) return []
  const { events, shown_from: from } = hidden
  const which = events === null ? `events before ${from}` : `${plural(events, 'event')} before ${from}`
  const [are, them] = events === 1 ? ['is', 'it'] : ['are', 'them']
  return hung(
    `not selected: ${which} ${are} ${hiddenBy(hidden)}, so no query finds ${them}; PostHog deletes ${them} later by itself`,
  )
}

function supportLines({ allowed, refusal, query }: UndoResult): string[] {
  const how =
    allowed === false
      ? `the project takes no requests (${refusal}). Ask PostHog's support to delete what this HogQL selects:`
      : "nothing is deleted yet: --request with the project's name asks for it. The HogQL, for PostHog's support or to look at:"
  return [...hung(how), `    ${query}`]
}
