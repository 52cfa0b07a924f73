/** What around/ opens to others. */
export type { AroundSource } from './around-source.ts'
