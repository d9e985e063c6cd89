%% RESULT = cartan (COMMAND, ARGUMENT, ...)
%% [RESULT, STATUS, MESSAGES] = cartan (COMMAND, ARGUMENT, ...)
%%
%% Runs a command of Cartan and gives what it prints as JSON as a struct; a command
%% without JSON gives its text. Arguments are texts and numbers, as on a command line,
%% and structs of options: a field `every` is --every, `lqr_q` is --lqr-q, true is a
%% flag without a value, a cell is an option that is repeated.
%%
%%   cartan ("run", "pendulum.toml", "--duration", 5)
%%   cartan ("run", "pendulum.toml", struct ("duration", 5, "set", {{"l=2", "m=3"}}, "out", "swing"))
%%   cartan_table ("swing/trajectory.csv")
%%
%% STATUS is that of the command: 0 done, 1 not found or not converged, 2 a wrong model
%% or option. Without it, a command that fails is an error with the command's message.
%% The program is the one that the environment variable CARTAN names, else the launcher
%% of the checkout this file stands in, else `cartan` on the path.
function [result, status, messages] = cartan (command, varargin)
  if (nargin < 1 || ! ischar (command))
    print_usage ();
  endif
  words = {command};
  for k = 1:numel (varargin)
    words = [words, words_of(varargin{k})];
  endfor
  plain = any (strcmp (command, {"new", "--help", "--version"})) || any (strcmp (words, "--help"));
  if (! plain && ! any (strcmp (words, "--json")))
    words{end+1} = "--json";
  endif
  line = quoted (program ());
  for k = 1:numel (words)
    line = [line, " ", quoted(words{k})];
  endfor
  file = tempname ();
  unwind_protect
    [status, result] = system ([line, " 2>", quoted(file)]);
    messages = "";
    if (exist (file, "file"))
      messages = fileread (file);
    endif
  unwind_protect_cleanup
    if (exist (file, "file"))
      unlink (file);
    endif
  end_unwind_protect
  if (! isempty (result) && result(1) == "{")
    result = jsondecode (result);
  endif
  if (status != 0 && nargout < 2)
    error ("cartan:failed", "%s", strtrim (messages));
  endif
endfunction

%% An argument as words of a command line.
function words = words_of (argument)
  if (! isstruct (argument))
    words = {text_of(argument)};
    return;
  endif
  words = {};
  for [value, name] = argument
    option = ["--", strrep(name, "_", "-")];
    if (islogical (value))
      if (value)
        words{end+1} = option;
      endif
      continue;
    endif
    if (! iscell (value))
      value = {value};
    endif
    for k = 1:numel (value)
      words = [words, {option, text_of(value{k})}];
    endfor
  endfor
endfunction

function text = text_of (value)
  if (ischar (value))
    text = value;
  elseif (isnumeric (value) && isscalar (value))
    text = sprintf ("%.17g", value);
  elseif (isnumeric (value) && isvector (value))
    text = strjoin (arrayfun (@(x) sprintf ("%.17g", x), value(:)', "UniformOutput", false), ",");
  else
    error ("cartan:argument", "an argument is a text, a number, a row of numbers or a struct of options");
  endif
endfunction

function text = quoted (word)
  text = ["'", strrep(word, "'", "'\\''"), "'"];
endfunction

function name = program ()
  name = getenv ("CARTAN");
  if (isempty (name))
    name = fullfile (fileparts (fileparts (mfilename ("fullpath"))), "cartan");
    if (exist (name, "file") != 2)
      name = "cartan";
    endif
  endif
endfunction
