-- A text without the marks that nobody sees: Unicode's default ignorables, as copied numbers, keyboards and
-- spreadsheets put them around words. shared/model/visible_text.ts takes out the same; a test compares both.
create or replace function messaging.without_invisible(given text)
returns text language sql immutable strict parallel safe
return regexp_replace(
  given,
  '[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164' 
 '\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]',
  '',
  'g'
);
