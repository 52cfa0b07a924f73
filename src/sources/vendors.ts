import { amplitudeVendor } from './amplitude/vendor.ts'
import { commandVendor } from './command/vendor.ts'
import { matomoVendor } from './matomo/vendor.ts'
import { mixpanelVendor } from './mixpanel/vendor.ts'
import { posthogVendor } from './posthog/vendor.ts'
import { type VendorSource, withWork } from './vendor-source.ts'

/** Every vendor that posthaul exports from, in the order of the help. */
export const VENDORS = [
  withWork(mixpanelVendor, async () => (await import('./mixpanel/mixpanel.ts')).mixpanelWork),
  withWork(amplitudeVendor, async () => (await import('./amplitude/amplitude.ts')).amplitudeWork),
  withWork(matomoVendor, async () => (await import('./matomo/matomo.ts')).matomoWork),
  withWork(posthogVendor, async () => (await import('./posthog/work.ts')).posthogWork),
  withWork(commandVendor, async () => (await import('./command/command.ts')).commandWork),
] as const

export type VendorName = (typeof VENDORS)[number]['name']

export function vendorNamed(name: string): VendorSource {
  const vendor = (VENDORS as readonly VendorSource[]).find((one) => one.name === name)
  if (vendor === undefined) throw new RangeError(`no vendor is called ${name}`)
  return vendor
}
