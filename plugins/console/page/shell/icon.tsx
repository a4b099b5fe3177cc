/** The pictures next to names, each drawn by one line in a square of 24. */
import type { ReactNode } from 'react'

const LINES: Readonly<Record<string, string>> = {
  archive: 'M3 5h18v4H3zM5 9v10h14V9M10 13h4',
  arrow: 'M4 12h15M13 6l6 6-6 6',
  bell: 'M6 17V11a6 6 0 0 1 12 0v6l2 1H4zM10 21h4',
  book: 'M5 4h11a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3zM5 17a3 3 0 0 1 3-3h11',
  box: 'M4 8l8-4 8 4v8l-8 4-8-4zM4 8l8 4 8-4M12 12v8',
  briefcase: 'M3 8h18v11H3zM9 8V5h6v3M3 13h18',
  building: 'M5 21V4h9v17M14 9h5v12M3 21h18M8 8h3M8 12h3M8 16h3',
  calendar: 'M4 6h16v14H4zM4 10h16M8 3v5M16 3v5',
  chart: 'M4 4v16h16M8 16v-4M12 16V8M16 16v-6',
  chat: 'M4 5h16v11h-8l-5 4v-4H4z',
  check: 'M4 13l5 5L20 6',
  clock: 'M12 3a9 9 0 1 0 .1 0zM12 7v5l4 2',
  cloud: 'M7 18a4 4 0 0 1 0-8 5.5 5.5 0 0 1 10.5 1A3.5 3.5 0 0 1 17.5 18z',
  coin: 'M12 3a9 9 0 1 0 .1 0zM14.5 9.5c-3-2.5-5.5 1-2.5 2.5s.5 5-2.5 2.5M12 7v10',
  database: 'M5 6c0-3 14-3 14 0v12c0 3-14 3-14 0zM5 6c0 3 14 3 14 0M5 12c0 3 14 3 14 0',
  document: 'M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6',
  envelope: 'M3 6h18v12H3zM3 7l9 7 9-7',
  eye: 'M2 12c5-8 15-8 20 0-5 8-15 8-20 0zM12 9a3 3 0 1 0 .1 0z',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  flag: 'M5 21V4h12l-2 4 2 4H5',
  folder: 'M3 6h6l2 2h10v11H3z',
  gear: 'M12 8.5a3.5 3.5 0 1 0 .1 0zM12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2 2M16.4 16.4l2 2M5.6 18.4l2-2M16.4 7.6l2-2',
  gift: 'M4 9h16v4H4zM5 13v7h14v-7M12 9v11M12 9c-6 0-5-6 0 0 5-6 6 0 0 0',
  globe: 'M12 3a9 9 0 1 0 .1 0zM3 12h18M12 3c-5 5-5 13 0 18 5-5 5-13 0-18',
  graph: 'M4 18l5-6 4 3 7-9M15 6h5v5',
  heart: 'M12 20C2 13 4 5 9 5c2 0 3 2 3 2s1-2 3-2c5 0 7 8-3 15z',
  home: 'M3 12l9-8 9 8M6 10v10h12V10M10 20v-6h4v6',
  image: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15 9h.1',
  inbox: 'M4 5h16v14H4zM4 14h5l1 2h4l1-2h5',
  key: 'M8 8a4 4 0 1 0 .1 0zM11 11l9-7M17 6l2 3M14 8l2 3',
  label: 'M4 4h8l9 9-8 8-9-9zM8 8h.1',
  link: 'M10 14a4 4 0 0 1 0-6l2-2a4 4 0 0 1 6 6l-1 1M14 10a4 4 0 0 1 0 6l-2 2a4 4 0 0 1-6-6l1-1',
  list: 'M9 6h11M9 12h11M9 18h11M4 6h.1M4 12h.1M4 18h.1',
  lock: 'M5 11h14v10H5zM8 11V7a4 4 0 0 1 8 0v4',
  map: 'M4 6l5-2 6 2 5-2v14l-5 2-6-2-5 2zM9 4v14M15 6v14',
  note: 'M5 4h14v11l-5 5H5zM14 20v-5h5',
  people: 'M9 5a3 3 0 1 0 .1 0zM3 20c0-8 12-8 12 0M16 6a3 3 0 0 1 0 6M17 14c3 0 4 3 4 6',
  person: 'M12 4a4 4 0 1 0 .1 0zM4 21c0-10 16-10 16 0',
  phone: 'M6 3h4l2 5-3 2c1 2 3 4 5 5l2-3 5 2v4c-8 4-19-7-15-15z',
  pin: 'M12 21c-8-9-7-17 0-17s8 8 0 17zM12 9a2 2 0 1 0 .1 0z',
  plug: 'M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4',
  question: 'M8 9c0-6 9-5 8 0-.5 3-4 3-4 6M12 19h.1',
  send: 'M3 11l18-8-7 18-3-8zM11 13l10-10',
  shield: 'M12 3l8 3c0 8-3 13-8 15-5-2-8-7-8-15z',
  star: 'M12 3l2.8 6 6.2.8-4.5 4.5 1 6.7-5.5-3-5.5 3 1-6.7L3 9.8 9.2 9z',
  table: 'M4 5h16v14H4zM4 10h16M4 15h16M10 5v14',
  task: 'M4 4h16v16H4zM8 12l3 3 5-6',
  ticket: 'M3 7h18v4a2 2 0 0 0 0 3v4H3v-4a2 2 0 0 0 0-3zM14 7v2M14 12v2M14 16v2',
  tool: 'M14 6a4 4 0 0 1 5-2l-3 3 2 2 3-3a4 4 0 0 1-5 5L7 20l-3-3 9-9z',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v6M14 11v6',
  truck: 'M3 6h11v10H3zM14 10h4l3 3v3h-7M7 16a2 2 0 1 0 .1 0zM17 16a2 2 0 1 0 .1 0z',
  video: 'M3 6h12v12H3zM15 11l6-4v10l-6-4',
  wallet: 'M4 6h14v3M4 6v13h16V9H6M16 14h.1',
  warning: 'M12 4l9 16H3zM12 10v5M12 17.5h.1',
}

/** A picture by its name; nothing for a name that the page does not know. */
export function Icon({ name }: { readonly name: string | undefined }): ReactNode {
  const line = name === undefined || !Object.hasOwn(LINES, name) ? undefined : LINES[name]
  if (line === undefined) return null
  return (
    <svg aria-hidden="true" className="icon" height="18" viewBox="0 0 24 24" width="18">
      <path d={line} />
    </svg>
  )
}
