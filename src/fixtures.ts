export type { Fixture, FixtureOptions } from './jobs/preset/fixture-kit.ts'
export type { Unseen } from './jobs/preset/lost-values.ts'
export { fixtureVendors, type Suite, vendorFixtures } from './jobs/preset/read-suite.ts'
