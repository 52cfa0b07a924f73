export { FileLog } from './log-file.ts'
export { type LineLog, type LogDigest, LogKind, NO_LINES, type OpenLog } from './log-kind.ts'
export { PieceLog } from './log-pieces.ts'
