import { randomUUID } from 'node:crypto'
import type { Context, Hono } from 'hono'
import { isJsonObject } from '../../text/json.ts'
import type { NodeEnv, SandboxContext } from '../context.ts'
import { MAX_WIRE_BYTES, readPayload, readWire } from '../ingest/payload.ts'
import { parseBody, Refusal } from '../ingest/strict-json.ts'
import { notFound } from './api-error.ts'
import { anyOrigin } from './ingest.ts'

const COMPRESSIONS = ['gzip', 'gzip-js']

/** What the official libraries ask before they send: a configuration, and feature flags, of which there are none. */
export function browserRoutes(app: Hono<NodeEnv>, { projectKey }: SandboxContext): void {
  const config = remoteConfig(projectKey)
  for (const path of ['/flags', '/decide', '/array/:token/:file']) app.use(path, anyOrigin('GET', 'POST'))
  for (const path of ['/flags', '/decide']) {
    app.on(['GET', 'POST'], path, async (c) => {
      if ((await tokenOf(c)) !== projectKey) {
        const detail =
          'Project API key invalid. You can find your project API key in your PostHog project settings.'
        return c.json({ type: 'authentication_error', code: 'invalid_api_key', detail, attr: null }, 401)
      }
      const flags = { errorsWhileComputingFlags: false, requestId: randomUUID() }
      if (path === '/flags' && c.req.query('v') === '2') return c.json({ flags: {}, ...flags })
      const legacy = { featureFlags: {}, featureFlagPayloads: {}, ...flags }
      return c.json(path === '/decide' ? { ...config, ...legacy } : legacy)
    })
  }
  app.get('/array/:token/:file', (c) => {
    const { token, file } = c.req.param()
    // Only a key that is the project's own gets into the script.
    if (token !== projectKey || (file !== 'config' && file !== 'config.js')) throw notFound()
    if (file === 'config') return c.json(config)
    return c.body(configScript(config), 200, { 'content-type': 'application/javascript; charset=utf-8' })
  })
}

/** The project key of a request for flags, in whatever packing; undefined where none is found. */
async function tokenOf(c: Context<NodeEnv>): Promise<string | undefined> {
  const query = new URL(c.req.url).searchParams
  const wire = await readWire(c.env.incoming, MAX_WIRE_BYTES)
  if (!wire) return undefined
  const [contentType, contentEncoding] = [c.req.header('content-type'), c.req.header('content-encoding')]
  try {
    const body = await readPayload(wire, { contentType, contentEncoding, query, isLegacy: true })
    const asked = parseBody(body).value
    const token = isJsonObject(asked) ? (asked.token ?? asked.api_key) : undefined
    return typeof token === 'string' ? token : undefined
  } catch (error) {
    if (error instanceof Refusal) return query.get('token') ?? undefined
    throw error
  }
}

function remoteConfig(token: string) {
  return {
    token,
    supportedCompression: COMPRESSIONS,
    hasFeatureFlags: false,
    analytics: { endpoint: '/i/v0/e/' },
    elementsChainAsString: true,
    defaultIdentifiedOnly: true,
    autocapture_opt_out: false,
    autocaptureExceptions: false,
    captureDeadClicks: false,
    capturePerformance: false,
    errorTracking: { autocaptureExceptions: false, suppressionRules: [] },
    sessionRecording: false,
    heatmaps: false,
    surveys: false,
    productTours: false,
    conversations: false,
    logs: { captureConsoleLogs: false },
    siteApps: [],
    isAuthenticated: false,
    toolbarParams: {},
  }
}

function configScript(config: ReturnType<typeof remoteConfig>): string {
  // No text of a script may end it.
  const json = (value: unknown) => JSON.stringify(value).replaceAll('<', '\\u003c')
  const all = 'window._POSTHOG_REMOTE_CONFIG'
  return `${all}=${all}||{};${all}[${json(config.token)}]={config:${json(config)},siteApps:[]};\n`
}
