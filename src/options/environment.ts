import { flagOf, type Row } from './row.ts'
import { SETTINGS } from './settings.ts'

/** An environment variable that posthaul reads. */
export interface Variable {
  readonly name: string
  readonly help: string
  /** Whose secret it holds: PostHog's, that of others, or one that is made up for a sandbox. */
  readonly secret?: 'posthog' | 'other' | 'sandbox'
}

/** The variables of options. Sorted, because the order of a module's exports is not the same everywhere. */
const OF_OPTIONS: readonly Variable[] = SETTINGS.flatMap((row: Row) => {
  return row.env === undefined
    ? []
    : [{ name: row.env, help: `${row.help}; as ${flagOf(row) || `${row.config} of posthaul.config.json`}` }]
}).sort((a, b) => (a.name < b.name ? -1 : 1))

/**
 * Every variable that posthaul reads: `help environment` and docs/environment.md list them, and the check for keys in the
 * wrong place goes through them.
 */
export const ENVIRONMENT: readonly { readonly title: string; readonly variables: readonly Variable[] }[] = [
  {
    title: 'PostHog',
    variables: [
      {
        name: 'POSTHOG_PROJECT_API_KEY',
        help: 'the project key (phc_…), under which events are sent',
        secret: 'posthog',
      },
      {
        name: 'POSTHOG_PERSONAL_API_KEY',
        help: 'a personal key (phx_…), by which the project is read',
        secret: 'posthog',
      },
      ...OF_OPTIONS,
    ],
  },
  {
    title: 'export posthog',
    variables: [
      { name: 'POSTHOG_SOURCE_HOST', help: 'address of the installation that is exported' },
      { name: 'POSTHOG_SOURCE_PROJECT_ID', help: 'the project that is exported' },
      { name: 'POSTHOG_SOURCE_API_KEY', help: 'a personal key of that project', secret: 'posthog' },
    ],
  },
  {
    title: 'export mixpanel',
    variables: [
      { name: 'MIXPANEL_PROJECT_ID', help: 'the project; a service account needs it' },
      { name: 'MIXPANEL_SERVICE_ACCOUNT', help: 'user name of a service account', secret: 'other' },
      { name: 'MIXPANEL_SERVICE_SECRET', help: 'its secret', secret: 'other' },
      {
        name: 'MIXPANEL_API_SECRET',
        help: "the project's secret, in place of a service account",
        secret: 'other',
      },
    ],
  },
  {
    title: 'export amplitude',
    variables: [
      { name: 'AMPLITUDE_API_KEY', help: "the project's API key", secret: 'other' },
      { name: 'AMPLITUDE_SECRET_KEY', help: "the project's secret key", secret: 'other' },
    ],
  },
  {
    title: 'export matomo',
    variables: [{ name: 'MATOMO_TOKEN', help: 'token of a user who may view the site', secret: 'other' }],
  },
  {
    title: 'transform',
    variables: [{ name: 'POSTHAUL_HASH_KEY', help: 'key of the hashes of private values', secret: 'other' }],
  },
  {
    title: 'Buckets (s3://…), as the AWS tools read them',
    variables: [
      { name: 'AWS_ACCESS_KEY_ID', help: 'id of the access key' },
      { name: 'AWS_SECRET_ACCESS_KEY', help: 'the access key itself', secret: 'other' },
      { name: 'AWS_SESSION_TOKEN', help: 'token of a temporary access key', secret: 'other' },
      { name: 'AWS_REGION', help: 'region of the bucket' },
      { name: 'AWS_DEFAULT_REGION', help: 'the same, where AWS_REGION is not set' },
      { name: 'AWS_ENDPOINT_URL_S3', help: 'address of a service other than AWS, such as MinIO or R2' },
      { name: 'AWS_ENDPOINT_URL', help: 'the same, where AWS_ENDPOINT_URL_S3 is not set' },
      { name: 'AWS_PROFILE', help: 'profile of ~/.aws/config to take all of these from' },
    ],
  },
  {
    title: 'Network',
    variables: [
      { name: 'HTTPS_PROXY', help: 'address of the proxy for https; https_proxy is stronger' },
      {
        name: 'HTTP_PROXY',
        help: 'address of the proxy for http, and for https if it is the only one; http_proxy is stronger',
      },
      {
        name: 'NO_PROXY',
        help: 'hosts that are asked without a proxy, divided by commas; no_proxy is stronger',
      },
      { name: 'NODE_EXTRA_CA_CERTS', help: 'file with the certificate of an authority of your own' },
    ],
  },
  {
    title: 'Terminal',
    variables: [
      { name: 'NO_COLOR', help: 'set to anything: no colours' },
      {
        name: 'FORCE_COLOR',
        help: '1: colours also where there is no terminal; 0: none; stronger than NO_COLOR',
      },
      { name: 'TERM', help: 'dumb: no colours' },
    ],
  },
  {
    title: 'This machine',
    variables: [
      {
        name: 'XDG_STATE_HOME',
        help: 'folder of what posthaul keeps for you, in posthaul/; default ~/.local/state',
      },
      {
        name: 'XDG_CACHE_HOME',
        help: 'folder of what Node 22 or newer keeps of the compiled program, in posthaul/; default ~/.cache',
      },
      { name: 'HOME', help: 'your home folder' },
      {
        name: 'POSTHAUL_SANDBOX_PERSONAL_KEY',
        help: 'the personal key that a sandbox takes; made up when it is not set',
        secret: 'sandbox',
      },
    ],
  },
]

/** All of them, without their sections. */
export const VARIABLES: readonly Variable[] = ENVIRONMENT.flatMap(({ variables }) => variables)

/** True if the variable's name with `_FILE` names a file that holds its value. The AWS tools have files of their own. */
export function hasFile({ name, secret }: Variable): boolean {
  return (secret === 'posthog' || secret === 'other') && !name.startsWith('AWS_')
}
