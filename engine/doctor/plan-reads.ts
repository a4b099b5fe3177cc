/** Reads PostgreSQL's plan of a statement: which tables it would have to read whole. Pure. */
import { isObject, type Json } from '../json.ts'

interface PlanNode {
  readonly type: string
  readonly table: string | undefined
  /** Whether it finds rows by an index instead of going through all of them. */
  readonly finds: boolean
  readonly below: readonly PlanNode[]
}

/** The root of `explain (format json)`. */
export function planIn(text: string): PlanNode {
  const [root] = JSON.parse(text) as readonly [{ readonly Plan: Json }]
  return nodeOf(root.Plan)
}

function nodeOf(plan: Json): PlanNode {
  const node = isObject(plan) ? plan : {}
  const table = node['Relation Name']
  return {
    type: String(node['Node Type']),
    table: typeof table === 'string' ? table : undefined,
    finds: node['Index Cond'] !== undefined,
    below: Array.isArray(node.Plans) ? node.Plans.map(nodeOf) : [],
  }
}

/** The tables that are read from one end to the other below a node. */
export function wholeReads(node: PlanNode): ReadonlySet<string> {
  const found = node.below.flatMap((one) => [...wholeReads(one)])
  return new Set(isWholeRead(node) && node.table !== undefined ? [node.table, ...found] : found)
}

function isWholeRead({ type, finds, below }: PlanNode): boolean {
  if (type === 'Seq Scan') return true
  if (type === 'Index Scan' || type === 'Index Only Scan') return !finds
  // Below it are the scans of indexes, which name no table.
  return type === 'Bitmap Heap Scan' && !below.some(isFound)
}

function isFound({ finds, below }: PlanNode): boolean {
  return finds || below.some(isFound)
}

/** The tables whose rows are all read and sorted. */
export function wholeSorts(node: PlanNode): ReadonlySet<string> {
  if (node.type === 'Sort') return wholeReads(node)
  return new Set(node.below.flatMap((one) => [...wholeSorts(one)]))
}
