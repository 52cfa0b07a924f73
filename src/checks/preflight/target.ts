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
import { proxyFindings } from './proxied.ts'
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
  const address = checkAddress(service, missing)
  const projectKey = await checkProjectKey(service, missing, tools)
  const personalKey = await checkPersonalKey(service, sends, tools)
  const api = personalKey.value
  const [ingest, project] = await Promise.all([
    address.value ? checkIngest({ origin: address.value, projectKey: projectKey.value, via }, tools) : [],
    api ? checkProject(api, { projectKey: projectKey.value, sends }, tools) : [],
  ])
  const origins = [address.value, api?.origin.value].filter((origin) => origin !== undefined)
  return [
    ...address.findings,
    ...proxyFindings(origins),
    ...projectKey.findings,
    ...personalKey.findings,
    ...ingest,
    ...project,
  ]
}

/** A setting, if it is sound, and what was found of it. */
interface Looked<T> {
  readonly value?: T
  readonly findings: readonly Finding[]
}

function checkAddress(service: ServiceSubject, missing: FindingLevel): Looked<string> {
  const say = findingsOf('address')
  const { ingestHost, host, region } = service.resolved
  if (!ingestHost && !host && !region)
    return { findings: [say[missing]('no address of the service is set', { remedy: NO_ADDRESS })] }
  try {
    const { value, from } = ingestAddress(service)
    return { value, findings: [say.ok(`events go to ${value} (${from})`)] }
  } catch (error) {
    return { findings: [say.error('the address of the service is not clear', becauseOf(error))] }
  }
}

async function checkProjectKey(
  service: ServiceSubject,
  missing: FindingLevel,
  { stdin }: Tools,
): Promise<Looked<Secret>> {
  const say = findingsOf('project-key')
  try {
    const key = await projectKeyIfAny(service, stdin)
    if (!key) {
      const cause = 'the service needs it to know whose the events are'
      return { findings: [say[missing]('no project key is set', { cause, remedy: NO_PROJECT_KEY })] }
    }
    if (key.reveal().startsWith('phc_')) return { value: key, findings: [say.ok(`set by ${key.from}`)] }
    const cause = 'the keys of projects begin with phc_, but for those of very old installations'
    const text = `the key from ${key.from} does not look like one of a project`
    const remedy = 'compare it with "Project API key" in the project settings'
    return { value: key, findings: [say.warning(text, { cause, remedy })] }
  } catch (error) {
    return { findings: [say.error("the project key can't be used", becauseOf(error))] }
  }
}

async function checkPersonalKey(
  service: ServiceSubject,
  sends: boolean,
  { stdin }: Tools,
): Promise<Looked<ApiSettings>> {
  const say = findingsOf('personal-key')
  try {
    const settings = await apiSettingsIfAny(service, stdin)
    // The project says whether the key is valid.
    if (settings) return { value: settings, findings: [] }
    const cause =
      'without it nobody can tell whose the project key is, nor whether events arrive: the service takes them under any key'
    const because = { cause, remedy: NO_PERSONAL_KEY }
    return { findings: [say[sends ? 'warning' : 'note']('no personal key is set', because)] }
  } catch (error) {
    return { findings: [say.error("the personal key can't be used", becauseOf(error))] }
  }
}
