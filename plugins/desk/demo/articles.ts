/** The demo's articles, frequent questions, posts and notes. */
import type { People } from './fill-people.ts'
import { daysAgo, type Ids, insert, type Scene } from './ids.ts'

const ARTICLES: readonly (readonly [title: string, type: string, details: string])[] = [
  [
    'How to set a new password',
    'Question',
    'Open the sign-in page, choose "Forgotten password", and follow the link in the mail. The link works for one hour. Links asked for earlier stop working as soon as a newer one is sent.',
  ],
  [
    'Moving to a new phone',
    'Task',
    'Before you give the old phone away, remove it under Account, Devices. If it is gone already, write to us from the address of your account and have your last invoice at hand.',
  ],
  [
    'Reading your invoice',
    'Question',
    'Each line names the product, the period and the number of seats. Credits stand at the end with a minus sign. The address is that of the organization at the time of billing.',
  ],
  [
    'When does a refund arrive?',
    'Question',
    'Three to five working days after the return is booked. Card payments go back to the card; transfers to the account they came from.',
  ],
  [
    'Exports that stop early',
    'Problem',
    'Very long exports used to stop at the time limit of the browser. Choose a shorter period, or update: the limit is gone since the last release.',
  ],
  [
    'Webhooks: answer first, work later',
    'Problem',
    'We wait ten seconds for an answer and repeat the call otherwise. Acknowledge with status 200 at once and put the work into a queue. Each event carries an id by which you recognise a repetition.',
  ],
  [
    'Sending something back',
    'Task',
    'Ask for a label on the ticket of your order. Pack the items so that they survive a fall of one metre, and keep the receipt until the refund has arrived.',
  ],
  [
    'Inviting colleagues',
    'Task',
    'Under Organization, People, enter the address and choose a role. The invitation works for three days and can be sent again.',
  ],
  [
    'Printers and blank pages',
    'Incident',
    'New cartridges have an orange strip across the nozzles. Remove it, put the cartridge back, and print a test page.',
  ],
  [
    'What the statuses of a ticket mean',
    'Question',
    'Open: we have it. In progress: somebody works on it. Pending: we wait for you. Resolved: we think it is done, and an answer from you opens it again. Closed: done.',
  ],
  [
    'Priorities and how fast we answer',
    'Question',
    'Critical within an hour, high within four, medium within a working day, low within three. All of it during office hours.',
  ],
  [
    'Which browsers work',
    'Question',
    'The current and the previous major version of Firefox, Chrome, Edge and Safari.',
  ],
]

const FAQS: readonly (readonly [name: string, published: boolean, details: string])[] = [
  ['How do I reach you?', true, 'By a ticket, at any time; by phone on working days from nine to five.'],
  ['Can I change my e-mail address?', true, 'Yes, in your profile. You sign in with the new one from then on.'],
  ['Where do I see my tickets?', true, 'Under Tickets, with the newest first. Closed ones stay there.'],
  ['Do you offer discounts for schools?', true, 'Yes. Write to us from your school’s address.'],
  ['How long are my files kept?', true, 'As long as the ticket they belong to.'],
  ['Can I get a copy of all my data?', true, 'Yes, ask for it on a ticket; it is ready within a few days.'],
  ['What happens when my contract ends?', false, 'Draft: to be checked by the legal team.'],
  ['Is there an app?', true, 'For iOS and Android, in both stores.'],
]

const POSTS: readonly (readonly [title: string, active: boolean, details: string])[] = [
  [
    'Exports of any length',
    true,
    'Reports with hundreds of thousands of rows now download in one go. Thank you to everybody who reported where it used to stop.',
  ],
  [
    'Maintenance on the first Sunday of the month',
    true,
    'Between two and three in the morning (UTC) tickets can be read but not written.',
  ],
  ['New: replies from your phone', true, 'Answer a ticket from the notification, without opening the app.'],
  [
    'Our office hours in December',
    true,
    'We are here until the 23rd and back on the 2nd. Critical tickets are answered in between.',
  ],
  ['Prices from next year', false, 'Draft: waiting for approval.'],
]

/** Inserts them all. */
export async function fillContent(scene: Scene, ids: Ids, people: People): Promise<void> {
  const stamps = (days: number) => {
    const moment = daysAgo(scene, days)
    return { created_at: moment, updated_at: moment }
  }
  const articles = ARTICLES.map(([title, type, details], index) => ({
    title,
    details,
    type_id: ids.types.get(type) ?? null,
    ...stamps(180 - index * 9),
  }))
  const faqs = FAQS.map(([name, status, details], index) => ({ name, status, details, ...stamps(150 - index * 5) }))
  const posts = POSTS.map(([title, is_active, details], index) => ({
    title,
    details,
    excerpt: `${details.split('. ')[0] ?? details}`,
    is_active,
    ...stamps(80 - index * 12),
  }))
  const notes = people.staff.map(({ id }, index) => ({
    name: index % 2 === 0 ? 'To do this week' : 'Phrases that help',
    details:
      index % 2 === 0
        ? 'Go through tickets older than ten days.\nAsk billing about duplicate charges.'
        : 'Thank you for your patience.\nI have tried it myself.',
    user_id: id,
    ...stamps(20 - index),
  }))
  await insert(scene, 'knowledge_base', articles)
  await insert(scene, 'faqs', faqs)
  await insert(scene, 'posts', posts)
  await insert(scene, 'notes', notes)
}
