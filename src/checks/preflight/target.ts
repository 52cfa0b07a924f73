import type { Secret } from '../../http/secret.ts'
import {
  type ApiSettings,
  apiSettingsIfAny,
  ingestAddress,
  projectKeyIfAny,
} from '../../options/service-settings.ts'
import { becauseOf, type Finding, type FindingLevel, findingsOf } from '../finding.ts'
import { checkIngest } from './ingest.ts'
import { checkProject } from './project.ts'
import type { ServiceSubject, Subject, Tools } from './subject.ts'

const NO_ADDRESS = 'set POSTHOG_REGION to us or eu, or POSTHOG_HOST to the address of your own installation'
const NO_PROJECT_KEY = 'set POSTHOG_PROJECT_API_KEY, or name a 0600 file in POSTHOG_PROJECT_API_KEY_FILE'
const NO_PERSONAL_KEY =
  'make one with the scopes project:read, query:read, group:read and ingestion_warning:read, and set POSTHOG_PERSONAL_API_KEY'

/** Where the service is, the keys, what the service says to them, and what the project is called. */
export async function checkTarget(
  { service, sends, via = 'batch' }: Subject,
  tools: Tools,
): Promise<Finding[]> {
  if (!service) return []
  const missing = sends ? 'error' : 'note'
  const found: Finding[] = []
  const address = checkAddress(service, missing, found)
  const keys: Finding[] = []
  const projectKey = await checkProjectKey(service, missing, tools, keys)
  const api = await checkPersonalKey(service, sends, tools, keys)
  const asked = await Promise.all([
    address ? checkIngest(address, projectKey, via, tools) : [],
    api ? checkProject(api, { projectKey, sends }, tools) : [],
  ])
  return [...found, ...keys, ...asked.flat()]
}

/** The setting, if it is sound; what is wrong with it goes to `found`. */
function checkAddress(service: ServiceSubject, missing: FindingLevel, found: Finding[]): string | undefined {
  const say = findingsOf('address')
  const { ingestHost, host, region } = service.resolved
  if (!ingestHost && !host && !region) {
    found.push(say[missing]('no address of the service is set', { remedy: NO_ADDRESS }))
    return undefined
  }
  try {
    const { value, from } = ingestAddress(service)
    found.push(say.ok(`events go to ${value} (${from})`))
    return value
  } catch (error) {
    found.push(say.error('the address of the service is not clear', becauseOf(error)))
    return undefined
  }
}

async function checkProjectKey(
  service: ServiceSubject,
  missing: FindingLevel,
  { stdin }: Tools,
  found: Finding[],
): Promise<Secret | undefined> {
  const say = findingsOf('project-key')
  try {
    const key = await projectKeyIfAny(service, stdin)
    if (!key) {
      const cause = 'the service needs it to know whose the events are'
      found.push(say[missing]('no project key is set', { cause, remedy: NO_PROJECT_KEY }))
    } else if (key.reveal().startsWith('phc_')) found.push(say.ok(`set by ${key.from}`))
    else {
      const cause = 'the keys of projects begin with phc_, but for those of very old installations'
      const remedy = 'compare it with "Project API key" in the project settings'
      const text = `the key from ${key.from} does not look like one of a project`
      found.push(say.warning(text, { cause, remedy }))
    }
    return key
  } catch (error) {
    found.push(say.error("the project key can't be used", becauseOf(error)))
    return undefined
  }
}

/** The project says whether the key is valid. */
async function checkPersonalKey(
  service: ServiceSubject,
  sends: boolean,
  { stdin }: Tools,
  found: Finding[],
): Promise<ApiSettings | undefined> {
  const say = findingsOf('personal-key')
  try {
    const settings = await apiSettingsIfAny(service, stdin)
    if (settings) return settings
    const cause =
      'without it nobody can tell whose the project key is, nor whether events arrive: the service takes them under any key'
    const because = { cause, remedy: NO_PERSONAL_KEY }
    found.push(say[sends ? 'warning' : 'note']('no personal key is set', because))
  } catch (error) {
    found.push(say.error("the personal key can't be used", becauseOf(error)))
  }
  return undefined
}
