%% [NUMBERS, NAMES] = cartan_table (FILE)
%% COLUMN = cartan_table (FILE, NAME)
%%
%% The numbers of a table that Cartan wrote (trajectory.csv, path.csv, ..), a row for
%% each of its lines, with the names of the columns; or the column of that name.
function [numbers, names] = cartan_table (file, name)
  stream = fopen (file, "r");
  if (stream < 0)
    error ("cartan:table", "the table '%s' cannot be read", file);
  endif
  head = fgetl (stream);
  fclose (stream);
  names = strsplit (strtrim (head), ",");
  numbers = dlmread (file, ",", 1, 0);
  if (nargin < 2)
    return;
  endif
  place = find (strcmp (names, name), 1);
  if (isempty (place))
    error ("cartan:table", "'%s' has no column '%s'; it has %s", file, name, strjoin (names, ", "));
  endif
  numbers = numbers(:, place);
endfunction
