import type { CommandModule } from './command.ts'

export const configure: CommandModule['configure'] = () => {}
