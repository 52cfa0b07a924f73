export type { Fixture, FixtureOptions } from './mapping-tests/fixture-kit.ts'
export type { Unseen } from './mapping-tests/lost-values.ts'
export { fixtureVendors, type Suite, vendorFixtures } from './mapping-tests/read-suite.ts'
