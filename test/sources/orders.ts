import { Secret } from '../../src/http/secret.ts'
import { type AmplitudeOptions, amplitudeOrder } from '../../src/sources/amplitude/amplitude.ts'
import { type MixpanelOptions, mixpanelOrder } from '../../src/sources/mixpanel/mixpanel.ts'
import { type PostHogOptions, posthogOrder } from '../../src/sources/posthog/posthog.ts'
import type { ExportOrder } from '../../src/sources/source.ts'
import { basic, bearer } from '../../src/sources/vendor-client.ts'
import { MS_PER_DAY } from '../../src/text/units.ts'

/** What a test says of an export: which windows, and by which clock. */
type Asked<Options extends { readonly windows: unknown; readonly clock: unknown }> = Partial<Options> &
  Pick<Options, 'windows' | 'clock'>

const secret = (text: string) => new Secret(text, 'a test')
/** The key that PostHog is asked with. */
export const POSTHOG_KEY = secret('phx_source_key')

/** An export of all events from a fake Mixpanel. */
export const mixpanelFrom = (url: string, asked: Asked<MixpanelOptions>): ExportOrder =>
  mixpanelOrder({
    hosts: { data: url, query: url },
    region: 'us',
    credentials: basic(secret('service-user'), secret('service-secret')),
    projectId: '42',
    events: [],
    profiles: [],
    limits: [],
    quietMs: 5000,
    ...asked,
  })

/** An export from a fake Amplitude. */
export const amplitudeFrom = (url: string, asked: Asked<AmplitudeOptions>): ExportOrder =>
  amplitudeOrder({
    host: url,
    region: 'us',
    credentials: basic(secret('api-key'), secret('secret-key')),
    keyFingerprint: 'abc',
    spanMs: MS_PER_DAY,
    limits: [],
    quietMs: 5000,
    ...asked,
  })

/** An export of all events from a fake PostHog. */
export const posthogFrom = (url: string, asked: Asked<PostHogOptions>): ExportOrder =>
  posthogOrder({
    host: url,
    projectId: '7',
    credentials: bearer(POSTHOG_KEY),
    spanMs: MS_PER_DAY,
    persons: false,
    groups: undefined,
    limits: [],
    quietMs: 5000,
    ...asked,
  })
