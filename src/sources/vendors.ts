import { amplitudeVendor } from './amplitude/vendor.ts'
import { matomoVendor } from './matomo/vendor.ts'
import { mixpanelVendor } from './mixpanel/vendor.ts'
import { posthogVendor } from './posthog/vendor.ts'
import type { VendorSource } from './vendor-source.ts'

/** Every vendor that posthaul exports from, in the order of the help. */
export const VENDORS = [mixpanelVendor, amplitudeVendor, matomoVendor, posthogVendor] as const

export type VendorName = (typeof VENDORS)[number]['name']

/** The row of a vendor. */
export function vendorNamed(name: string): VendorSource {
  const vendor = (VENDORS as readonly VendorSource[]).find((one) => one.name === name)
  if (vendor === undefined) throw new RangeError(`no vendor is called ${name}`)
  return vendor
}
