import { deadline } from '../../http/clock.ts'
import { NetworkError } from '../../http/network-error.ts'
import type { Login, VendorProject } from '../../sources/vendor-source.ts'
import { vendorNamed } from '../../sources/vendors.ts'
import { becauseOf, type Finding, findingsOf } from '../finding.ts'
import { proxyFindings } from './proxied.ts'
import type { Subject, Tools } from './subject.ts'

const say = findingsOf('vendor')

/** Whether each vendor lets its credentials in. */
export async function checkVendors({ sources }: Subject, tools: Tools): Promise<Finding[]> {
  return (await Promise.all(sources.map((source) => checkVendor(source, tools)))).flat()
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
  // What a command asks is its own.
  const proxies = proxyFindings(logins.map(({ origin }) => origin).filter((one) => /^https?:/.test(one)))
  const open = tried.find(({ error }) => error === undefined)
  if (open) {
    const about = open.about === undefined ? '' : `: ${open.about}`
    return [say.ok(`${open.name} ${open.works}${about}`), ...proxies]
  }
  // What a region says of credentials tells more than that another could not be reached.
  const refusal = tried.find(({ error }) => isRefusal(error))
  const names = tried.map(({ name }) => name).join(', ')
  const text = refusal ? `the credentials are refused by ${names}` : `${names} could not be asked`
  return [say.error(text, becauseOf((refusal ?? tried[0]!).error)), ...proxies]
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
