export { checkFixture, type Fixture, type FixtureOptions, readFixtures } from './mapping-tests/fixture-kit.ts'
export type { SandboxOptions } from './sandbox/options.ts'
export { type Sandbox, startSandbox } from './sandbox/sandbox.ts'
