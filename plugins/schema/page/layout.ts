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
  /** What it leads to without a line: resources that most others lead to. */
  readonly leads: readonly string[]
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
/** The height of the line that says where a box leads without a line. */
const LEADS = 15
/** A resource is a hub, and has no lines, if it is joined with so many others and with more than this part of all. */
const HUB = { least: 16, part: 1 / 3 }
/** The space around boxes without lines, and the least width of a row of them. */
const GAP = 14
const ROW = 900
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

interface Joined {
  readonly from: string
  readonly to: string
  readonly names: string[]
}

/** The pairs of different resources that relations to one join, each once. */
function pairsOf(resources: Resources, names: readonly string[]): readonly Joined[] {
  const shown = new Set(names)
  const pairs = new Map<string, Joined>()
  for (const from of names)
    for (const { kind, name, to } of resources[from]?.relations ?? []) {
      // A relation to many is the other side of one to one, or joins both.
      if (kind === 'has_many' || !shown.has(to) || from === to) continue
      const key = `${from} ${to}`
      const known = pairs.get(key) ?? { from, to, names: [] }
      known.names.push(name)
      pairs.set(key, known)
    }
  return [...pairs.values()]
}

/** The resources that so many lead to that their lines would cover all others; never the one that is looked at. */
function hubsOf(pairs: readonly Joined[], names: readonly string[], around: string | undefined): ReadonlySet<string> {
  const joined = (name: string): number => pairs.filter(({ from, to }) => from === name || to === name).length
  const isHub = (name: string): boolean => joined(name) >= HUB.least && joined(name) > names.length * HUB.part
  return new Set(names.filter((name) => name !== around && isHub(name)))
}

/**
 * Lays out the resources of these names with the relations among them, from the left to the right; those without a line are
 * in rows below. `around` is the one that is looked at.
 */
export function diagramOf(resources: Resources, names: readonly string[], around?: string): Diagram {
  const graph = new Graph({ directed: true })
  graph.setGraph({ rankdir: 'LR', nodesep: 14, ranksep: 50, marginx: 8, marginy: 8 })
  graph.setDefaultEdgeLabel(() => ({}))
  const all = pairsOf(resources, names)
  const hubs = hubsOf(all, names, around)
  const pairs = all.filter(({ from, to }) => !hubs.has(from) && !hubs.has(to))
  const boxOf = (name: string): Omit<Box, 'x' | 'y'> => {
    const label = resources[name]?.label.many ?? name
    const ends = all
      .filter(({ from, to }) => from === name && hubs.has(to))
      .map(({ to }) => resources[to]?.label.many ?? to)
    const leads = hubs.has(name) ? [] : ends
    const width = Math.max(90, label.length * LETTER + 26, leads.join(', ').length * 7 + 40)
    return { name, label, leads, width, height: leads.length > 0 ? HEIGHT + LEADS : HEIGHT }
  }
  const lined = new Set(pairs.flatMap(({ from, to }) => [from, to]))
  for (const name of names) if (lined.has(name)) graph.setNode(name, { ...boxOf(name) })
  for (const { from, to } of pairs) graph.setEdge(from, to)
  layout(graph)
  const size = graph.graph()
  const [width, height] = lined.size === 0 ? [0, 0] : [size.width ?? 0, size.height ?? 0]
  const laid = names.flatMap((name) => (lined.has(name) ? [graph.node(name) as object as Box] : []))
  const lines = pairs.map(({ from, names: own, to }): Line => {
    const { points } = graph.edge(from, to) as { readonly points: Line['points'] }
    return { from, to, names: own, points }
  })
  // Hubs first: they are looked for.
  const rest = names
    .filter((name) => !lined.has(name))
    .sort((one, other) => Number(hubs.has(other)) - Number(hubs.has(one)))
  const rows = inRows(rest.map(boxOf), Math.max(width, ROW), height)
  return { boxes: [...laid, ...rows.boxes], lines, width: Math.max(width, rows.width), height: rows.height }
}

/** Boxes in rows of a width, below what is there already. */
function inRows(
  boxes: readonly Omit<Box, 'x' | 'y'>[],
  width: number,
  top: number,
): Pick<Diagram, 'boxes' | 'width' | 'height'> {
  let [x, y, tall, wide] = [GAP, top + GAP, 0, 0]
  const laid = boxes.map((box): Box => {
    if (x > GAP && x + box.width > width) [x, y, tall] = [GAP, y + tall + GAP, 0]
    const placed = { ...box, x: x + box.width / 2, y: y + box.height / 2 }
    x += box.width + GAP
    tall = Math.max(tall, box.height)
    wide = Math.max(wide, x)
    return placed
  })
  return { boxes: laid, width: wide, height: boxes.length === 0 ? top : y + tall + GAP }
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
