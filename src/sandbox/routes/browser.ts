import { randomUUID } from 'node:crypto'
import { Hono } from 'hono'
import type { NodeEnv, SandboxContext } from '../context.ts'
import { notFound } from './api-error.ts'
import { anyOrigin } from './cors.ts'

const COMPRESSIONS = ['gzip', 'gzip-js']

/** What the official libraries ask before they send: a configuration, and feature flags, of which there are none. */
export function browserRoutes({ projectKey }: SandboxContext): Hono<NodeEnv> {
  const routes = new Hono<NodeEnv>({ strict: false })
  const config = remoteConfig(projectKey)
  for (const path of ['/flags', '/decide', '/array/:token/:file']) routes.use(path, anyOrigin('GET', 'POST'))
  for (const path of ['/flags', '/decide']) {
    routes.on(['GET', 'POST'], path, (c) => {
      const flags = { errorsWhileComputingFlags: false, requestId: randomUUID() }
      if (path === '/flags' && c.req.query('v') === '2') return c.json({ flags: {}, ...flags })
      const legacy = { featureFlags: {}, featureFlagPayloads: {}, ...flags }
      return c.json(path === '/decide' ? { ...config, ...legacy } : legacy)
    })
  }
  routes.get('/array/:token/:file', (c) => {
    const { token, file } = c.req.param()
    // Only a key that is the project's own gets into the script.
    if (token !== projectKey || (file !== 'config' && file !== 'config.js')) throw notFound()
    if (file === 'config') return c.json(config)
    return c.body(configScript(config), 200, { 'content-type': 'application/javascript; charset=utf-8' })
  })
  return routes
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
