export { seedOf } from './random.ts'
