/** What a comparison may compare with, as written: `$actor`, `$now`, `$record.category`, or a value. */
import type { Json } from '../json.ts'
import type { Operand, RecordOperand } from './filter.ts'

/** The forms a variable may have, for `expected`. */
export const OPERAND_VARIABLES: readonly string[] = ['$actor', '$actor.<attribute>', '$now', '$today']

export const RECORD_VARIABLES: readonly string[] = ['$record.<field>', '$before.<field>']

/** A variable (`$actor`, `$actor.team_id`, `$now`, `$today`) or a literal; undefined for an unknown variable. */
export function parseOperand(value: Json): Operand | undefined {
  if (typeof value !== 'string' || !value.startsWith('$')) return { kind: 'literal', value }
  if (value === '$now') return { kind: 'now' }
  if (value === '$today') return { kind: 'today' }
  if (value === '$actor') return { kind: 'actor', attribute: undefined }
  const attribute = /^\$actor\.([A-Za-z_][A-Za-z0-9_]*)$/.exec(value)?.[1]
  return attribute === undefined ? undefined : { kind: 'actor', attribute }
}

/** `$record.category` or `$before.status.name`: the segments of its path; undefined for anything else. */
export function parseRecordOperand(value: Json): RecordOperand<readonly string[]> | undefined {
  if (typeof value !== 'string') return undefined
  const [, kind, path] = /^\$(record|before)\.([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)$/.exec(value) ?? []
  if (path === undefined) return undefined
  return { kind: kind === 'record' ? 'record' : 'before', path: path.split('.') }
}
