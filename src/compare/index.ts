/** What compare/ opens to others. */
export { CAUSES } from './causes.ts'
export { type ChainOrder, type Explained, type ExplainedCell, explainCharts } from './chain.ts'
export { ChartTables } from './chart-tables.ts'
export { type FunnelRule, NEWEST_TRY } from './chart-view.ts'
export { defaultCharts, largestNames } from './default-charts.ts'
export { eventNames, type NamePair } from './event-names.ts'
export { type EventsPlace, readDatasets } from './read-datasets.ts'
export { readRawRecords } from './read-records.ts'
