/** What sources/ opens to others. */
export { loadCounts, OTHER_EVENTS, type PartCounts, SLOT_MS } from './counts/part-counts.ts'
export { type Reconciled, reconcile } from './counts/reconcile.ts'
export { type ExportValues, SHARED_ROWS } from './export-options.ts'
export { ExportState } from './export-state.ts'
export {
  type GroupsOptions,
  groupsOrder,
  groupsPieceName,
  TYPES_AT_ONCE,
  usualVia,
} from './posthog/groups.ts'
export { type Listener, missing, provisional, runExport } from './run-export.ts'
export type {
  ExportOrder,
  ExportPiece,
  PersonState,
  Source,
  VendorCall,
  WhenShort,
} from './source.ts'
export { VendorError } from './vendor-client.ts'
export type { Login, VendorProject, VendorSource } from './vendor-source.ts'
export { VENDORS, type VendorName, vendorNamed } from './vendors.ts'
export { formatUtc, monthsOf, type WindowSpan } from './window.ts'
