import { deadline } from '../../http/clock.ts'
import { NetworkError } from '../../http/network-error.ts'
import { ingestAddress } from '../../options/service-settings.ts'
import type { Login, VendorProject } from '../../sources/vendor-source.ts'
import { vendorNamed } from '../../sources/vendors.ts'
import { becauseOf, type Finding, findingsOf } from '../finding.ts'
import type { Subject, Tools } from './subject.ts'

const say = findingsOf('vendor')

/** Whether each vendor lets its credentials in. */
export async function checkVendors({ sources, service }: Subject, tools: Tools): Promise<Finding[]> {
  const found = await Promise.all(sources.map((source) => checkVendor(source, tools)))
  if (!sources.some((source) => isTarget(source, service, tools))) return found.flat()
  const cause = 'its live events would be replaced by copies, which undo would delete'
  const remedy = 'name another project in POSTHOG_SOURCE_PROJECT_ID, or as the target'
  return [...found.flat(), say.error('the project to export is the one that events go to', { cause, remedy })]
}

function isTarget({ vendor, baseUrl }: VendorProject, service: Subject['service'], { env }: Tools): boolean {
  const source = baseUrl ?? env.POSTHOG_SOURCE_HOST
  const { host, ingestHost, projectId } = service?.resolved ?? {}
  if (
    vendor !== 'posthog' ||
    source === undefined ||
    !service ||
    !(host ?? ingestHost ?? service.resolved.region)
  )
    return false
  const bare = (address: string) =>
    address.replace(/^https?:\/\/|\/.*$/g, '').replace('.i.posthog.com', '.posthog.com')
  const isOne = projectId?.value === env.POSTHOG_SOURCE_PROJECT_ID?.trim()
  return isOne && bare(source) === bare(ingestAddress(service).value)
}

async function checkVendor(source: VendorProject, tools: Tools): Promise<Finding[]> {
  let logins: readonly Login[] | undefined
  try {
    const work = await vendorNamed(source.vendor).load()
    logins = await work.logins(source, tools)
  } catch (error) {
    const lacks = isRefusal(error) ? 'lacks credentials' : "can't begin"
    return [say.error(`export ${source.vendor} ${lacks}`, becauseOf(error))]
  }
  if (!logins) {
    const cause = 'its address, site or dataset is an option of export, or is in a migration file'
    return [say.note(`the credentials of ${source.vendor} are set, and were not tried`, { cause })]
  }
  const tried = await Promise.all(logins.map((login) => attempt(login, tools)))
  const open = tried.find(({ error }) => error === undefined)
  if (open) {
    const about = open.about === undefined ? '' : `: ${open.about}`
    return [say.ok(`${open.name} ${open.works}${about}`)]
  }
  // What a region says of credentials tells more than that another could not be reached.
  const refusal = tried.find(({ error }) => isRefusal(error))
  const names = tried.map(({ name }) => name).join(', ')
  const text = refusal ? `the credentials are refused by ${names}` : `${names} could not be asked`
  return [say.error(text, becauseOf((refusal ?? tried[0]!).error))]
}

/** What came of a login: an error, or what is known of the project. */
async function attempt(
  login: Login,
  { signal, patienceMs }: Tools,
): Promise<{ name: string; works: string; about?: string | undefined; error?: unknown }> {
  const { name, origin, works = 'lets the credentials in', ask } = login
  const end = deadline(patienceMs, [signal])
  try {
    return { name, works, about: await ask(end.signal) }
  } catch (error) {
    if (!end.isLate) return { name, works, error }
    return { name, works, error: new NetworkError(`${origin} does not answer`, 'timeout') }
  } finally {
    end.release()
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'auth'
}
