/** The resources and their relations as a diagram, and the same as a table. */
import { Button, Card, go, hrefOf, Link, Row, Select, Table } from 'plinth/console'
import { type KeyboardEvent, type ReactNode, type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { type Direction, diagramOf, type Diagram as Laid, nextBox, shownNames } from './layout.ts'
import { useText } from './parts.tsx'
import type { ToldSchema } from './told.ts'

/** More resources than this are a wall of boxes: the first one with those around it is shown instead. */
const MANY = 120

export function DiagramPage({ schema: { resources } }: { readonly schema: ToldSchema }): ReactNode {
  const text = useText()
  const names = Object.keys(resources)
  const [around, setAround] = useState(names.length > MANY ? (names[0] ?? '') : '')
  const [as, setAs] = useState<'diagram' | 'table'>('diagram')
  const shown = useMemo(() => shownNames(resources, around === '' ? undefined : around), [resources, around])
  const options = names.map((name) => ({ value: name, label: resources[name]?.label.many ?? name }))
  return (
    <>
      <Row>
        <Select
          label={text.around}
          onChange={setAround}
          options={[{ value: '', label: text.all }, ...options]}
          value={around}
        />
        {(['diagram', 'table'] as const).map((one) => (
          <Button isPressed={as === one} key={one} onPress={() => setAs(one)}>
            {text.shownAs[one]}
          </Button>
        ))}
      </Row>
      {as === 'table' ? (
        <AsTable names={shown} resources={resources} />
      ) : (
        <AsDiagram around={around === '' ? undefined : around} names={shown} resources={resources} />
      )}
    </>
  )
}

interface ShownProps {
  readonly names: readonly string[]
  readonly resources: ToldSchema['resources']
}

function AsTable({ names, resources }: ShownProps): ReactNode {
  const text = useText()
  const rows = names.map((name) => ({
    key: name,
    cells: [
      <Link key="name" to={['schema', 'resource', name]}>
        {resources[name]?.label.many ?? name}
      </Link>,
      <ul className="schema-plain" key="relations">
        {(resources[name]?.relations ?? []).map(({ kind, label, name: relation, to }) => (
          <li key={relation}>
            {label} ({kind}) → <Link to={['schema', 'resource', to]}>{resources[to]?.label.many ?? to}</Link>
          </li>
        ))}
      </ul>,
    ],
  }))
  return (
    <Card>
      <Table caption={text.resources} head={[text.resource, text.relations]} rows={rows} />
    </Card>
  )
}

const DIRECTIONS = new Set(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'])

/** Moves the focus along relations. */
function walk(event: KeyboardEvent<SVGElement>, diagram: Laid): void {
  const from = (event.target as Element).closest('[data-box]')?.getAttribute('data-box')
  if (from == null || !DIRECTIONS.has(event.key)) return
  event.preventDefault()
  const next = nextBox(diagram, from, event.key as Direction)
  const found = next === undefined ? null : event.currentTarget.querySelector(`[data-box="${CSS.escape(next)}"]`)
  if (found instanceof SVGElement) {
    found.focus()
    found.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }
}

/** A box that is drawn smaller is hard to read and to press. */
const LEAST_SCALE = 0.75

/** How large the diagram is drawn: as wide as there is room, as far as it can be read. */
function useScale(width: number): readonly [RefObject<HTMLDivElement | null>, number] {
  const room = useRef<HTMLDivElement>(null)
  const [scale, setScale] = useState(1)
  useLayoutEffect(() => {
    const fit = (): void => {
      if (room.current !== null) setScale(Math.min(1, Math.max(LEAST_SCALE, room.current.clientWidth / width)))
    }
    fit()
    addEventListener('resize', fit)
    return () => removeEventListener('resize', fit)
  }, [width])
  return [room, scale]
}

function AsDiagram({ around, names, resources }: ShownProps & { readonly around: string | undefined }): ReactNode {
  const text = useText()
  const diagram = useMemo(() => diagramOf(resources, names, around), [resources, names, around])
  const { boxes, height, lines, width } = diagram
  const [room, scale] = useScale(width)
  const [near, setNear] = useState<string | undefined>(undefined)
  const lineClass = (from: string, to: string): string =>
    near === undefined ? 'line' : from === near || to === near ? 'line near' : 'line far'
  return (
    <Card>
      <p className="soft">{text.diagramHelp}</p>
      <div className="schema-diagram" dir="ltr" ref={room}>
        <svg
          height={height * scale}
          onKeyDown={(event) => walk(event, diagram)}
          viewBox={`0 0 ${width} ${height}`}
          width={width * scale}
        >
          <title>{text.tabs.diagram}</title>
          <defs>
            <marker
              id="schema-arrow"
              markerHeight="7"
              markerWidth="7"
              orient="auto"
              refX="9"
              refY="5"
              viewBox="0 0 10 10"
            >
              <path d="M0 0 10 5 0 10z" />
            </marker>
          </defs>
          {lines.map(({ from, names: own, points, to }) => (
            <path
              className={lineClass(from, to)}
              d={pathOf(points)}
              key={`${from} ${to}`}
              markerEnd="url(#schema-arrow)"
            >
              <title>{own.join(', ')}</title>
            </path>
          ))}
          {boxes.map((box) => (
            <BoxLink box={box} key={box.name} onNear={setNear} />
          ))}
        </svg>
      </div>
    </Card>
  )
}

interface BoxProps {
  readonly box: Laid['boxes'][number]
  /** Called while the box is pointed at or has the focus, so that its lines are brought to the front. */
  readonly onNear: (name: string | undefined) => void
}

function BoxLink({ box: { height, label, leads, name, width, x, y }, onNear }: BoxProps): ReactNode {
  const href = hrefOf(['schema', 'resource', name])
  const away = (): void => onNear(undefined)
  return (
    <a
      aria-label={[label, ...leads.map((lead) => `→ ${lead}`)].join(' ')}
      data-box={name}
      href={href}
      onBlur={away}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return
        event.preventDefault()
        go(href)
      }}
      onFocus={() => onNear(name)}
      onMouseEnter={() => onNear(name)}
      onMouseLeave={away}
    >
      <rect height={height} rx="6" width={width} x={x - width / 2} y={y - height / 2} />
      <text dominantBaseline="central" textAnchor="middle" x={x} y={leads.length === 0 ? y : y - 8}>
        {label}
      </text>
      {leads.length === 0 ? null : (
        <text className="leads" dominantBaseline="central" textAnchor="middle" x={x} y={y + 11}>
          → {leads.join(', ')}
        </text>
      )}
    </a>
  )
}

function pathOf(points: Laid['lines'][number]['points']): string {
  return points.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${Math.round(x)} ${Math.round(y)}`).join('')
}
