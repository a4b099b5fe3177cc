/** Styles of customers: greetings, endings, and the effect of haste on priorities. */

export const OPENINGS: readonly string[] = [
  'Hello,',
  'Hi team,',
  'Dear support,',
  'Good morning.',
  'Hi there!',
  'Not sure whether this is the right place.',
  'Sorry to bother you again.',
  'Quick one:',
]

export const CLOSINGS: readonly string[] = [
  'Kind regards, {first}',
  'Thanks, {first}',
  'Thank you in advance!',
  'Best, {first} ({company})',
  'Looking forward to hearing from you.',
  'Cheers',
  '{first}, {city}',
]

/** Said by customers who cannot wait: their tickets get a higher priority. */
export const HASTE: readonly string[] = [
  'This is urgent, the whole office is waiting.',
  'We lose money by the hour.',
  'Please call me today, we cannot work like this.',
  'It has to be solved before tomorrow.',
  'I asked {few} days ago and heard nothing. This is not acceptable.',
]

/** Said by customers who can wait: theirs get a lower one. */
export const LEISURE: readonly string[] = [
  'No hurry.',
  'Whenever you find the time.',
  'Not important, but it would be nice to know.',
  'We have a way around it for now.',
]

/** Other remarks, which say nothing about the problem. */
export const ASIDES: readonly string[] = [
  'I attached a screenshot.',
  'I have asked my colleagues, they do not know either.',
  'We are customers since the beginning.',
  'I looked through the articles first.',
  'You can reach me by phone until noon.',
  'I am out of office on {day}, so please copy my colleague.',
  'Otherwise we are very happy with {page}.',
  'My reference for this is {n}.',
]

/** Words for the places in braces. */
export const SLOTS: Readonly<Record<string, readonly string[]>> = {
  day: ['on Monday', 'on Tuesday', 'on Wednesday', 'on Thursday', 'on Friday', 'yesterday', 'last week'],
  page: [
    'the reports',
    'the dashboard',
    'the calendar',
    'the inbox',
    'the inventory',
    'the contact list',
    'the archive',
  ],
  browser: ['Firefox', 'Chrome', 'Edge', 'Safari'],
  device: ['phone', 'tablet', 'laptop', 'desktop', 'workstation'],
}
