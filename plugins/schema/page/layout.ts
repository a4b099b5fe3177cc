/** Where the boxes and lines of the diagram lie, and which box an arrow key leads to. Pure. */
import { Graph, layout } from '@dagrejs/dagre'
import type { ToldResource } from './told.ts'

export interface Box {
  readonly name: string
  readonly label: string
  /** The middle. */
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface Line {
  readonly from: string
  readonly to: string
  /** The relations that it draws. */
  readonly names: readonly string[]
  readonly points: readonly { readonly x: number; readonly y: number }[]
}

export interface Diagram {
  readonly boxes: readonly Box[]
  readonly lines: readonly Line[]
  readonly width: number
  readonly height: number
}

const HEIGHT = 34
/** The width of a letter, at most. */
const LETTER = 8.4

type Resources = Readonly<Record<string, ToldResource>>

/** The names of a resource and of all that a relation joins it with; of all resources without one. */
export function shownNames(resources: Resources, around: string | undefined): readonly string[] {
  const all = Object.keys(resources)
  if (around === undefined || resources[around] === undefined) return all
  const ends = new Set(resources[around].relations.map(({ to }) => to))
  return all.filter(
    (name) => name === around || ends.has(name) || resources[name]?.relations.some(({ to }) => to === around),
  )
}

/** Lays out the resources of these names with the relations among them, from the left to the right. */
export function diagramOf(resources: Resources, names: readonly string[]): Diagram {
  const graph = new Graph({ directed: true })
  graph.setGraph({ rankdir: 'LR', nodesep: 14, ranksep: 70, marginx: 8, marginy: 8 })
  graph.setDefaultEdgeLabel(() => ({}))
  const shown = new Set(names)
  for (const name of names) {
    const label = resources[name]?.label.many ?? name
    graph.setNode(name, { label, width: Math.max(90, label.length * LETTER + 26), height: HEIGHT })
  }
  const joined = new Map<string, { readonly from: string; readonly to: string; readonly names: string[] }>()
  for (const from of names)
    for (const { kind, name, to } of resources[from]?.relations ?? []) {
      // A relation to many is the other side of one to one, or joins both.
      if (kind === 'has_many' || !shown.has(to)) continue
      const key = `${from} ${to}`
      const known = joined.get(key) ?? { from, to, names: [] }
      known.names.push(name)
      joined.set(key, known)
    }
  for (const { from, to } of joined.values()) if (from !== to) graph.setEdge(from, to)
  layout(graph)
  const boxes = names.map((name): Box => {
    const { height, label, width, x, y } = graph.node(name) as Box
    return { name, label, x, y, width, height }
  })
  const lines = [...joined.values()]
    .filter(({ from, to }) => from !== to)
    .map(({ from, names: own, to }): Line => {
      const { points } = graph.edge(from, to) as { readonly points: Line['points'] }
      return { from, to, names: own, points }
    })
  const { height = 0, width = 0 } = graph.graph()
  return { boxes, lines, width, height }
}

/** The box that the most lines join with others, which is looked at first. */
export function middleBox({ boxes, lines }: Diagram): Box | undefined {
  const joined = (name: string): number => lines.filter(({ from, to }) => from === name || to === name).length
  return boxes.reduce<Box | undefined>(
    (best, box) => (best === undefined || joined(box.name) > joined(best.name) ? box : best),
    undefined,
  )
}

export type Direction = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown'

/**
 * The box that an arrow key leads to from another one: the nearest in its direction that a relation joins with it; where
 * there is none, the nearest of all.
 */
export function nextBox({ boxes, lines }: Diagram, from: string, direction: Direction): string | undefined {
  const own = boxes.find(({ name }) => name === from)
  if (own === undefined) return undefined
  const joined = new Set(
    lines.flatMap((line) => (line.from === from ? [line.to] : line.to === from ? [line.from] : [])),
  )
  const isAcross = direction === 'ArrowLeft' || direction === 'ArrowRight'
  const sign = direction === 'ArrowRight' || direction === 'ArrowDown' ? 1 : -1
  const distance = ({ x, y }: Box): number => {
    const [along, aside] = isAcross ? [(x - own.x) * sign, y - own.y] : [(y - own.y) * sign, x - own.x]
    return along > 1 ? along + 2 * Math.abs(aside) : Number.POSITIVE_INFINITY
  }
  const nearest = (some: readonly Box[]): Box | undefined =>
    some.reduce<Box | undefined>(
      (best, box) => (distance(box) < (best === undefined ? Number.POSITIVE_INFINITY : distance(best)) ? box : best),
      undefined,
    )
  return (nearest(boxes.filter(({ name }) => joined.has(name))) ?? nearest(boxes))?.name
}
