/** Technical problems, in customers' words. */
import type { Problem } from './problem.ts'

export const BUG: readonly Problem[] = [
  {
    subjects: ['Export stops at {n} rows', 'Report file is cut off'],
    details: [
      'When I export {page}, the file ends after {n} rows although there are many more. No error is shown.',
      'The CSV download is incomplete: the last line of the export breaks off in the middle.',
    ],
  },
  {
    subjects: ['Sorting by date is wrong', 'List of {page} in a strange order'],
    details: [
      'Sorting {page} by date puts October before February. It worked before the update of {day}.',
      'The order of the list changes with every reload in {browser}, so pages show some rows twice.',
    ],
  },
  {
    subjects: ['Error 500 when saving', 'Saving {page} fails with an error'],
    details: [
      'Each time I save {page} I get an error page with the number {n}. The form is empty afterwards.',
      'The save button spins, then "something went wrong" appears. {browser} and another browser do the same.',
    ],
    priority: 'Critical',
    type: 'Incident',
  },
  {
    subjects: ['Search finds nothing with umlauts', 'Filter on {page} is ignored'],
    details: [
      'Searching for a word with an accent finds nothing, without the accent it does. Clearly a bug.',
      'I set a filter on {page} and the full list is shown all the same. Reset and reload do not help.',
    ],
    priority: 'Medium',
  },
  {
    subjects: ['Totals do not add up', 'Chart on {page} shows wrong numbers'],
    details: [
      'The chart on {page} shows {few}, the table below it another number. One of them has a rounding error.',
      'The sum at the end of the monthly report is off by {few}. I added it up by hand.',
    ],
  },
  {
    subjects: ['Attachments open as gibberish', 'Uploaded PDF is broken'],
    details: [
      'Files uploaded since the update {day} are damaged: the PDF viewer of {browser} refuses them.',
      'An attached spreadsheet is downloaded with the wrong extension and opens as gibberish.',
    ],
  },
]

export const INTEGRATION: readonly Problem[] = [
  {
    subjects: ['Webhook is called twice', 'Duplicate events at our endpoint'],
    details: [
      'Our endpoint receives every event twice, a few seconds apart. The log shows {few} duplicates.',
      'Since the update each webhook is repeated even though our server answers with 200.',
    ],
    priority: 'Critical',
  },
  {
    subjects: ['API answers 429', 'Rate limit of the API'],
    details: [
      'Our nightly script gets status 429 after {n} calls. What is the limit of the API for one token?',
      'The API refuses our requests as too many. Can the quota for the integration be raised?',
    ],
    type: 'Question',
    priority: 'Medium',
  },
  {
    subjects: ['API token stopped working', 'Integration gets 401'],
    details: [
      'All API calls of our integration answer 401 since {day}. Nobody here has revoked the token.',
      'The token we created for the connector is refused, a fresh one as well. Is a scope missing?',
    ],
    priority: 'Critical',
  },
  {
    subjects: ['Calendar sync is a day behind', 'Sync with our CRM drops contacts'],
    details: [
      'The connector to our CRM skips {few} contacts at each sync. Its log has the code {n}.',
      'Events that the integration writes to our calendar land on the day before.',
    ],
    type: 'Problem',
  },
  {
    subjects: ['Signature of webhooks does not match', 'How do I verify a webhook?'],
    details: [
      'We compute the signature over the JSON payload as the API documentation says, and it never matches.',
      'Which header carries the signature of a webhook, and is the raw body or the parsed payload signed?',
    ],
    type: 'Question',
    priority: 'Medium',
  },
  {
    subjects: ['API returns an empty page', 'Pagination of the API skips records'],
    details: [
      'Page {few} of the API is empty though the total says there is more. Our import misses records.',
      'When records are added while our script pages through the endpoint, some are skipped.',
    ],
    type: 'Problem',
  },
]

export const OUTAGE: readonly Problem[] = [
  {
    subjects: ['Everything is slow', '{page} takes a minute to load'],
    details: [
      'Loading {page} takes a minute since this morning, for everybody in {city}. Our line is fine.',
      'The application is very slow in {browser}; clicking anything takes {few} seconds.',
    ],
    priority: 'High',
  },
  {
    subjects: ['Nothing loads at all', 'Service is down in {city}'],
    details: [
      'We only see a white page. The service seems to be down for the whole team at {company}.',
      'The server does not respond: gateway timeout in every browser. All of our work stands still.',
    ],
  },
  {
    subjects: ['App crashes on start', 'Mobile app closes immediately'],
    details: [
      'After the latest update the app crashes on my {device} as soon as it opens.',
      'The mobile app freezes on the start screen. Reinstalling it and restarting the {device} changed nothing.',
    ],
    priority: 'High',
  },
  {
    subjects: ['Connection drops all the time', 'Offline message on {page}'],
    details: [
      'A yellow bar says that the connection is lost, {few} times per hour. Other sites work.',
      'The live view on {page} disconnects and does not come back until the browser is reloaded.',
    ],
    priority: 'High',
  },
  {
    subjects: ['Mails from your system are late', 'Queue of outgoing mail is stuck'],
    details: [
      'Mails sent by the system arrive hours late; the headers show that they wait on your server.',
      'Outgoing messages have been stuck since {day}. The status page shows no outage.',
    ],
    priority: 'High',
  },
  {
    subjects: ['Timeouts during the afternoon', 'Server error between two and four'],
    details: [
      'Every afternoon the server is overloaded and requests end in a timeout. Nobody can work then.',
      'We see many timeouts on {page}. It began {day} and becomes worse.',
    ],
  },
]

export const HARDWARE: readonly Problem[] = [
  {
    subjects: ['Printer prints blank pages', 'Label printer in {city} is silent'],
    details: [
      'The printer in our {city} office prints blank sheets since {day}. Other printers work.',
      'The label printer blinks red and prints nothing. New paper and a new cartridge are in.',
    ],
  },
  {
    subjects: ['Scanner is not recognised', 'Barcode scanner beeps but sends nothing'],
    details: [
      'The barcode scanner is not recognised when plugged into my {device}. The cable has been replaced.',
      'The scanner reads the code and beeps, but no text appears. Its battery is full.',
    ],
  },
  {
    subjects: ['Terminal does not start', 'Screen of the terminal stays black'],
    details: [
      'The terminal at the counter stays black after the power cut. The power light is on.',
      'The touch screen of our terminal reacts only in the upper half. Restarting it did not help.',
    ],
    priority: 'High',
  },
  {
    subjects: ['Driver for a new laptop', 'Where is the driver for the printer?'],
    details: [
      'I need the printer driver for a new laptop; the one on the disc does not install.',
      'The driver of the scanner is refused by the latest system of my {device} as unsigned.',
    ],
    type: 'Question',
    priority: 'Low',
  },
  {
    subjects: ['Router loses its settings', 'Wireless of the device keeps dropping'],
    details: [
      'The router you delivered forgets its settings at each power cut. The firmware is the latest.',
      'The wireless of the terminal drops when the printer starts. Cable instead of radio works.',
    ],
  },
  {
    subjects: ['Battery swells', 'Charger becomes very hot'],
    details: [
      'The battery of a hand scanner is swollen and the case is open. Is it dangerous?',
      'The charger of the device becomes too hot to touch and smells. We unplugged it.',
    ],
    priority: 'Critical',
  },
]
