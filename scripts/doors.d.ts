import type { Plugin } from 'vite'

export function lookThrough(code: string, file: string): string
export function doors(): Plugin
